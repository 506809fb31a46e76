import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

/**
 * The popups of Chromium's address bar are pages of its own that every new context loads, at more cost than ours. This list
 * replaces Playwright's, so it names again what could change requests or paints here.
 */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['HttpsUpgrades', 'MediaRouter', 'OptimizationHints', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
];

/** Flags for a Chromium that may run as root, stays silent and makes no requests of its own. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--mute-audio',
  `--disable-features=${DISABLED_FEATURES}`,
];

export type TestTool =
  | 'chromium'
  | 'curl'
  | 'docker-compose'
  | 'ffmpeg'
  | 'firefox-esr'
  | 'gstreamer1.0-libav'
  | 'gstreamer1.0-plugins-good'
  | 'libfaketime'
  | 'liquidsoap'
  | 'MiniBrowser'
  | 'mpv'
  | 'nginx'
  | 'openssl'
  | 'pgbouncer'
  | 'postgres'
  | 'pulseaudio'
  | 'python3'
  | 'systemd-analyze'
  | 'WebKitWebDriver'
  | 'Xvfb';

/** The environment variable that names a program which lies in an unusual place. */
const VARIABLES: Partial<Record<TestTool, string>> = {
  chromium: 'CHROME_PATH',
  curl: 'CURL_PATH',
  'docker-compose': 'DOCKER_COMPOSE_PATH',
  ffmpeg: 'FFMPEG_PATH',
  'firefox-esr': 'FIREFOX_PATH',
  liquidsoap: 'LIQUIDSOAP_PATH',
  MiniBrowser: 'MINIBROWSER_PATH',
  mpv: 'MPV_PATH',
  nginx: 'NGINX_PATH',
  openssl: 'OPENSSL_PATH',
  pgbouncer: 'PGBOUNCER_PATH',
  postgres: 'POSTGRES_PATH',
  pulseaudio: 'PULSEAUDIO_PATH',
  python3: 'PYTHON_PATH',
  WebKitWebDriver: 'WEBKIT_DRIVER_PATH',
  Xvfb: 'XVFB_PATH',
};
/** Debian's package, where it is not called as the program. */
const DEBIAN_PACKAGES: Partial<Record<TestTool, string>> = {
  MiniBrowser: 'webkit2gtk-driver',
  nginx: 'nginx-light',
  postgres: 'postgresql',
  'systemd-analyze': 'systemd',
  WebKitWebDriver: 'webkit2gtk-driver',
  Xvfb: 'xvfb',
};
const OTHER_NAMES: Partial<Record<TestTool, string[]>> = {
  chromium: ['chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  'firefox-esr': ['firefox'],
};
const CHROME_ON_MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const DEBIAN_LIBRARIES = '/usr/lib';
/** Files that lie in the folder of the machine's architecture under /usr/lib; MP3 needs both plugins, sound the first. */
const LIBRARY_FILES: Partial<Record<TestTool, string>> = {
  'gstreamer1.0-plugins-good': 'gstreamer-1.0/libgstpulseaudio.so',
  'gstreamer1.0-libav': 'gstreamer-1.0/libgstlibav.so',
  libfaketime: 'faketime/libfaketimeMT.so.1',
  MiniBrowser: 'webkit2gtk-4.1/MiniBrowser',
};

export const requireChromium = () => requireTool('chromium');
export const requireCurl = () => requireTool('curl');
export const requireDockerCompose = () => requireTool('docker-compose');
export const requireFaketime = () => requireTool('libfaketime');
export const requireFirefox = () => requireTool('firefox-esr');
export const requireLiquidsoap = () => requireTool('liquidsoap');
export const requireMiniBrowser = () => requireTool('MiniBrowser');
export const requireMpv = () => requireTool('mpv');
export const requireNginx = () => requireTool('nginx');
export const requireOpenssl = () => requireTool('openssl');
export const requirePgbouncer = () => requireTool('pgbouncer');
export const requirePulseaudio = () => requireTool('pulseaudio');
export const requirePython = () => requireTool('python3');
export const requireSystemdAnalyze = () => requireTool('systemd-analyze');
export const requireWebKitWebDriver = () => requireTool('WebKitWebDriver');
export const requireXvfb = () => requireTool('Xvfb');

/** Returns the paths of ffmpeg and of ffprobe, which lies beside it. */
export function requireFfmpeg(): { ffmpeg: string; ffprobe: string } {
  const ffmpeg = requireTool('ffmpeg');
  return { ffmpeg, ffprobe: path.join(path.dirname(ffmpeg), 'ffprobe') };
}

/** Returns the folder of PostgreSQL's programs: server and clients of one version. */
export function requirePostgresFolder(): string {
  return path.dirname(requireTool('postgres'));
}

/** @throws Error that names all missing programs and how to install them */
export function requireTools(tools: TestTool[]): void {
  const missing = tools.filter((tool) => findTool(tool) === undefined);
  if (missing.length === 0) return;
  const packages = new Set(missing.map((tool) => DEBIAN_PACKAGES[tool] ?? tool));
  const variables = missing.flatMap((tool) => VARIABLES[tool] ?? []);
  throw new Error(
    `These tests need ${missing.join(', ')}. Run \`apt-get update && apt-get install -y ${[...packages].join(' ')}\`` +
      `${variables.length > 0 ? `, or name the programs by ${variables.join(', ')}` : ''}.`,
  );
}

function requireTool(tool: TestTool): string {
  requireTools([tool]);
  return findTool(tool) ?? '';
}

/** Returns the program that its variable names, else the one on PATH or where systems keep it. */
function findTool(tool: TestTool): string | undefined {
  const named = process.env[VARIABLES[tool] ?? ''];
  if (named) return isUsable(named) ? named : undefined;
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/opt/homebrew/bin'];
  const candidates = [tool, ...(OTHER_NAMES[tool] ?? [])].flatMap((name) =>
    folders.map((folder) => path.resolve(folder, name)),
  );
  if (tool === 'postgres') candidates.unshift(...debianPostgres());
  if (tool === 'chromium') candidates.push(CHROME_ON_MACOS, chromium.executablePath());
  candidates.push(...inLibraryFolders(LIBRARY_FILES[tool]));
  return candidates.find(isUsable);
}

/** Debian keeps the server of each version in a folder of its own, not on PATH; the newest comes first. */
function debianPostgres(): string[] {
  if (!existsSync(DEBIAN_POSTGRES)) return [];
  const versions = readdirSync(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => path.join(DEBIAN_POSTGRES, version, 'bin', 'postgres'));
}

function inLibraryFolders(file: string | undefined): string[] {
  if (file === undefined || !existsSync(DEBIAN_LIBRARIES)) return [];
  return readdirSync(DEBIAN_LIBRARIES).map((folder) => path.join(DEBIAN_LIBRARIES, folder, file));
}

/** Whether a program may be executed or a library read. */
function isUsable(file: string): boolean {
  try {
    accessSync(file, /\.so(\.|$)/.test(file) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
