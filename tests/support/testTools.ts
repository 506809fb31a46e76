import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

/** Flags for a Chromium that may run as root, stays silent and makes no requests of its own. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--mute-audio',
];

export type TestTool =
  | 'chromium'
  | 'curl'
  | 'docker-compose'
  | 'ffmpeg'
  | 'mpv'
  | 'nginx'
  | 'openssl'
  | 'pgbouncer'
  | 'postgres'
  | 'python3';

/** The environment variable that names a program which lies in an unusual place. */
const VARIABLES: Record<TestTool, string> = {
  chromium: 'CHROME_PATH',
  curl: 'CURL_PATH',
  'docker-compose': 'DOCKER_COMPOSE_PATH',
  ffmpeg: 'FFMPEG_PATH',
  mpv: 'MPV_PATH',
  nginx: 'NGINX_PATH',
  openssl: 'OPENSSL_PATH',
  pgbouncer: 'PGBOUNCER_PATH',
  postgres: 'POSTGRES_PATH',
  python3: 'PYTHON_PATH',
};
/** Debian's package, where it is not called as the program. */
const DEBIAN_PACKAGES: Partial<Record<TestTool, string>> = { nginx: 'nginx-light', postgres: 'postgresql' };
const OTHER_NAMES: Partial<Record<TestTool, string[]>> = {
  chromium: ['chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
};
const CHROME_ON_MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

export const requireChromium = () => requireTool('chromium');
export const requireCurl = () => requireTool('curl');
export const requireDockerCompose = () => requireTool('docker-compose');
export const requireMpv = () => requireTool('mpv');
export const requireNginx = () => requireTool('nginx');
export const requireOpenssl = () => requireTool('openssl');
export const requirePgbouncer = () => requireTool('pgbouncer');
export const requirePython = () => requireTool('python3');

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
  const packages = missing.map((tool) => DEBIAN_PACKAGES[tool] ?? tool);
  throw new Error(
    `These tests need ${missing.join(', ')}. Run \`apt-get update && apt-get install -y ${packages.join(' ')}\`, ` +
      `or name the programs by ${missing.map((tool) => VARIABLES[tool]).join(', ')}.`,
  );
}

function requireTool(tool: TestTool): string {
  requireTools([tool]);
  return findTool(tool) ?? '';
}

/** Returns the program that its variable names, else the one on PATH or where systems keep it. */
function findTool(tool: TestTool): string | undefined {
  const named = process.env[VARIABLES[tool]];
  if (named) return isExecutable(named) ? named : undefined;
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/opt/homebrew/bin'];
  const candidates = [tool, ...(OTHER_NAMES[tool] ?? [])].flatMap((name) =>
    folders.map((folder) => path.resolve(folder, name)),
  );
  if (tool === 'postgres') candidates.unshift(...debianPostgres());
  if (tool === 'chromium') candidates.push(CHROME_ON_MACOS, chromium.executablePath());
  return candidates.find(isExecutable);
}

/** Debian keeps the server of each version in a folder of its own, not on PATH; the newest comes first. */
function debianPostgres(): string[] {
  if (!existsSync(DEBIAN_POSTGRES)) return [];
  const versions = readdirSync(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => path.join(DEBIAN_POSTGRES, version, 'bin', 'postgres'));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
