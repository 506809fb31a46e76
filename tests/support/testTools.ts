import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

/**
 * The popups of Chromium's address bar are pages of its own that every new context loads, at more cost than ours.
 * This list replaces Playwright's, so it names again what could change requests or paints here.
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

/**
 * `variable` names a program that lies in an unusual place, `package` is Debian's where it has another name than the
 * tool. `library` is a file in the folder of the machine's architecture under /usr/lib.
 */
type Where = { variable?: string; package?: string; names?: string[]; library?: string };

const TOOLS = {
  chromium: {
    variable: 'CHROME_PATH',
    names: ['chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  },
  curl: { variable: 'CURL_PATH' },
  debootstrap: {},
  'docker-compose': { variable: 'DOCKER_COMPOSE_PATH' },
  ffmpeg: { variable: 'FFMPEG_PATH' },
  'firefox-esr': { variable: 'FIREFOX_PATH', names: ['firefox'] },
  // MP3 needs both plugins, sound the second.
  'gstreamer1.0-libav': { library: 'gstreamer-1.0/libgstlibav.so' },
  'gstreamer1.0-plugins-good': { library: 'gstreamer-1.0/libgstpulseaudio.so' },
  ip: { package: 'iproute2' },
  liquidsoap: { variable: 'LIQUIDSOAP_PATH' },
  localedef: { package: 'locales' },
  MiniBrowser: {
    variable: 'MINIBROWSER_PATH',
    package: 'webkit2gtk-driver',
    library: 'webkit2gtk-4.1/MiniBrowser',
  },
  mpv: { variable: 'MPV_PATH' },
  nginx: { variable: 'NGINX', package: 'nginx-light' },
  nsenter: { package: 'util-linux' },
  openssl: { variable: 'OPENSSL_PATH' },
  perl: { variable: 'PERL_PATH' },
  pgbouncer: { variable: 'PGBOUNCER_PATH' },
  postgres: { variable: 'POSTGRES_PATH', package: 'postgresql' },
  promtool: { variable: 'PROMTOOL_PATH', package: 'prometheus' },
  pulseaudio: { variable: 'PULSEAUDIO_PATH' },
  python3: { variable: 'PYTHON_PATH' },
  script: { package: 'bsdutils' },
  setpriv: { package: 'util-linux' },
  'systemd-analyze': { package: 'systemd' },
  'systemd-nspawn': { package: 'systemd-container' },
  unshare: { package: 'util-linux' },
  WebKitWebDriver: { variable: 'WEBKIT_DRIVER_PATH', package: 'webkit2gtk-driver' },
  Xvfb: { variable: 'XVFB_PATH', package: 'xvfb' },
} satisfies Record<string, Where>;
export type TestTool = keyof typeof TOOLS;
const whereIs = (tool: TestTool): Where => TOOLS[tool];

const CHROME_ON_MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const DEBIAN_LIBRARIES = '/usr/lib';

export function requireFfmpeg(): { ffmpeg: string; ffprobe: string } {
  const ffmpeg = requireTool('ffmpeg');
  return { ffmpeg, ffprobe: path.join(path.dirname(ffmpeg), 'ffprobe') };
}

export function requirePostgresFolder(): string {
  return path.dirname(requireTool('postgres'));
}

/** @throws Error that names all missing programs and how to install them */
export function requireTools(tools: TestTool[]): void {
  const missing = tools.filter((tool) => findTool(tool) === undefined);
  if (missing.length === 0) return;
  const packages = new Set(missing.map((tool) => whereIs(tool).package ?? tool));
  const variables = missing.flatMap((tool) => whereIs(tool).variable ?? []);
  throw new Error(
    `These tests need ${missing.join(', ')}. Run \`apt-get update && apt-get install -y ${[...packages].join(' ')}\`` +
      `${variables.length > 0 ? `, or name the programs by ${variables.join(', ')}` : ''}.`,
  );
}

export function requireTool(tool: TestTool): string {
  requireTools([tool]);
  return findTool(tool) ?? '';
}

/** Returns the program that its variable names, else the one on PATH or where systems keep it. */
export function findTool(tool: TestTool): string | undefined {
  const { variable = '', names = [], library } = whereIs(tool);
  const named = process.env[variable];
  if (named) return isUsable(named) ? named : undefined;
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/opt/homebrew/bin'];
  const candidates = [tool, ...names].flatMap((name) => folders.map((folder) => path.resolve(folder, name)));
  if (tool === 'postgres') candidates.unshift(...debianPostgres());
  if (tool === 'chromium') candidates.push(CHROME_ON_MACOS, chromium.executablePath());
  if (library !== undefined)
    candidates.push(...foldersOf(DEBIAN_LIBRARIES).map((folder) => path.join(folder, library)));
  return candidates.find(isUsable);
}

/** Debian keeps the server of each version in a folder of its own, not on PATH; the newest comes first. */
function debianPostgres(): string[] {
  const version = (folder: string) => Number(path.basename(folder));
  return foldersOf(DEBIAN_POSTGRES)
    .sort((a, b) => version(b) - version(a))
    .map((folder) => path.join(folder, 'bin', 'postgres'));
}

function foldersOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

function isUsable(file: string): boolean {
  try {
    accessSync(file, /\.so(\.|$)/.test(file) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
