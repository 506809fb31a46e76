import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { withFileLock } from '../../scripts/fileLock.ts';

/** Environment variables that name a tool which lies in an unusual place. */
const CHROME_PATH = 'CHROME_PATH';
const CURL_PATH = 'CURL_PATH';
const DOCKER_COMPOSE_PATH = 'DOCKER_COMPOSE_PATH';
const FFMPEG_PATH = 'FFMPEG_PATH';
const MPV_PATH = 'MPV_PATH';
const NGINX_PATH = 'NGINX_PATH';
const PGBOUNCER_PATH = 'PGBOUNCER_PATH';
const POSTGRES_PATH = 'POSTGRES_PATH';
const PYTHON_PATH = 'PYTHON_PATH';

/** Chromium for a machine that is nobody's desk: as root, in silence, asking nobody on its own account. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--mute-audio',
];

export type Ffmpeg = { ffmpeg: string; ffprobe: string };

/** What finding and installing depend on; the real one unless a test stands in for it. */
export type Machine = {
  platform: NodeJS.Platform;
  isRoot: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** Where Playwright keeps the Chromium that it downloads, whether or not it has. */
  playwrightChromium: string | undefined;
  /** The absolute path of a program, given by path or by its name on PATH; undefined unless it starts. */
  find(program: string, versionFlag: string): Promise<string | undefined>;
  /** Runs a program with its output on standard error; rejects when it fails. */
  run(program: string, args: string[]): Promise<void>;
};

const CHROMIUM_ON_PATH = ['chromium', 'google-chrome', 'google-chrome-stable', 'chrome', 'chromium-browser'];
const CHROMIUM_ON_MACOS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const PLAYWRIGHT_CLI = path.join(
  path.dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
  'cli.js',
);
const INSTALL_LOCK = path.join(tmpdir(), `audio-oficial-premium-tools-${process.getuid?.() ?? 'user'}.lock`);
const START_TIMEOUT_MS = 20_000;

/**
 * The Chromium to test with: `CHROME_PATH`, else one installed on this machine, else Playwright's own, else
 * installed now where that is possible.
 * @returns its absolute path, for Playwright's `executablePath`
 * @throws Error that names the one command to run, when there is none and none can be installed
 */
export async function requireChromium(machine: Machine = thisMachine()): Promise<string> {
  const named = await namedTool(machine, CHROME_PATH, '--version');
  if (named !== undefined) return named;
  return requireTool('a Chromium', machine, findChromium, async () => {
    await aptInstall(machine, 'chromium');
    if ((await findChromium(machine)) !== undefined) return;
    await attempt(() => machine.run(process.execPath, [PLAYWRIGHT_CLI, 'install', 'chromium']));
  });
}

/**
 * The ffmpeg and ffprobe to test with: `FFMPEG_PATH` (ffprobe lies beside it), else those on PATH, else installed
 * now where that is possible.
 * @returns their absolute paths
 * @throws Error that names the one command to run, when they are missing and cannot be installed
 */
export async function requireFfmpeg(machine: Machine = thisMachine()): Promise<Ffmpeg> {
  const ffmpeg = await namedTool(machine, FFMPEG_PATH, '-version');
  if (ffmpeg === undefined) {
    return requireTool('ffmpeg', machine, findFfmpeg, () => aptInstall(machine, 'ffmpeg'));
  }
  const ffprobe = await machine.find(path.join(path.dirname(ffmpeg), 'ffprobe'), '-version');
  if (ffprobe === undefined)
    throw new Error(`Beside ${ffmpeg} (${FFMPEG_PATH}) lies no ffprobe that starts.`);
  return { ffmpeg, ffprobe };
}

/** A tool that is one program, which Debian has in a package of its own. */
type Program = {
  name: string;
  variable: string;
  versionFlag: string;
  places: string[];
  debianPackage: string;
};

const CURL: Program = {
  name: 'curl',
  variable: CURL_PATH,
  versionFlag: '--version',
  places: ['curl'],
  debianPackage: 'curl',
};
/** Its own file checker needs no Docker. */
const DOCKER_COMPOSE: Program = {
  name: 'docker-compose',
  variable: DOCKER_COMPOSE_PATH,
  versionFlag: 'version',
  places: ['docker-compose'],
  debianPackage: 'docker-compose',
};
const MPV: Program = {
  name: 'mpv',
  variable: MPV_PATH,
  versionFlag: '--version',
  places: ['mpv'],
  debianPackage: 'mpv',
};
const NGINX: Program = {
  name: 'nginx',
  variable: NGINX_PATH,
  versionFlag: '-v',
  // Debian keeps it where an ordinary user's PATH does not lead.
  places: ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'],
  debianPackage: 'nginx-light',
};
/** Debian keeps it where nginx is. */
const PGBOUNCER: Program = {
  name: 'pgbouncer',
  variable: PGBOUNCER_PATH,
  versionFlag: '--version',
  places: ['pgbouncer', '/usr/sbin/pgbouncer', '/opt/homebrew/bin/pgbouncer'],
  debianPackage: 'pgbouncer',
};
const PYTHON: Program = {
  name: 'python3',
  variable: PYTHON_PATH,
  versionFlag: '--version',
  places: ['python3'],
  debianPackage: 'python3',
};

/**
 * The curl, docker-compose, mpv, nginx, pgbouncer or python3 to test with: the one that its variable names, else one on
 * PATH or where systems keep it, else installed now where that is possible.
 * @returns its absolute path
 * @throws Error that names the one command to run, when there is none and none can be installed
 */
export const requireCurl = programToTestWith(CURL);
export const requireDockerCompose = programToTestWith(DOCKER_COMPOSE);
export const requireMpv = programToTestWith(MPV);
export const requireNginx = programToTestWith(NGINX);
export const requirePgbouncer = programToTestWith(PGBOUNCER);
export const requirePython = programToTestWith(PYTHON);

function programToTestWith({ name, variable, versionFlag, places, debianPackage }: Program) {
  async function find(machine: Machine): Promise<string | undefined> {
    for (const place of places) {
      const found = await machine.find(place, versionFlag);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return async (machine: Machine = thisMachine()): Promise<string> => {
    const named = await namedTool(machine, variable, versionFlag);
    return named ?? requireTool(name, machine, find, () => aptInstall(machine, debianPackage));
  };
}

export type PostgresPrograms = Record<(typeof POSTGRES_PROGRAMS)[number], string>;

const POSTGRES_PROGRAMS = [
  'initdb',
  'postgres',
  'createdb',
  'createuser',
  'pg_dump',
  'pg_restore',
  'psql',
] as const;
/** Debian keeps those of each version in a folder of its own, and on PATH those for clients alone. */
const POSTGRES_PLACES = [
  ...Array.from({ length: 12 }, (_, newest) => `/usr/lib/postgresql/${24 - newest}/bin/postgres`),
  'postgres',
  '/opt/homebrew/opt/postgresql@18/bin/postgres',
];

/**
 * PostgreSQL with the programs that dump and restore, which are for a server no newer than themselves: `POSTGRES_PATH`
 * (the others lie beside it), else the newest that this machine has whole, else installed now where that is possible.
 * @returns their absolute paths
 * @throws Error that names the one command to run, when they are missing and cannot be installed
 */
export async function requirePostgres(machine: Machine = thisMachine()): Promise<PostgresPrograms> {
  const named = await namedTool(machine, POSTGRES_PATH, '--version');
  if (named === undefined) {
    return requireTool('PostgreSQL', machine, findPostgres, () => aptInstall(machine, 'postgresql'));
  }
  const programs = await postgresBeside(named, machine);
  if (programs === undefined) {
    throw new Error(`Beside ${named} (${POSTGRES_PATH}) do not lie ${POSTGRES_PROGRAMS.join(', ')}.`);
  }
  return programs;
}

async function findPostgres(machine: Machine): Promise<PostgresPrograms | undefined> {
  for (const place of POSTGRES_PLACES) {
    const postgres = await machine.find(place, '--version');
    const programs = postgres && (await postgresBeside(postgres, machine));
    if (programs) return programs;
  }
  return undefined;
}

async function postgresBeside(postgres: string, machine: Machine): Promise<PostgresPrograms | undefined> {
  const found: Record<string, string> = {};
  for (const program of POSTGRES_PROGRAMS) {
    const file = await machine.find(path.join(path.dirname(postgres), program), '--version');
    if (file === undefined) return undefined;
    found[program] = file;
  }
  return found as PostgresPrograms;
}

async function findChromium(machine: Machine): Promise<string | undefined> {
  const candidates = [
    ...CHROMIUM_ON_PATH,
    ...(machine.platform === 'darwin' ? CHROMIUM_ON_MACOS : []),
    ...(machine.playwrightChromium === undefined ? [] : [machine.playwrightChromium]),
  ];
  for (const candidate of candidates) {
    const found = await machine.find(candidate, '--version');
    if (found !== undefined) return found;
  }
  return undefined;
}

async function findFfmpeg(machine: Machine): Promise<Ffmpeg | undefined> {
  const ffmpeg = await machine.find('ffmpeg', '-version');
  const ffprobe = await machine.find('ffprobe', '-version');
  return ffmpeg === undefined || ffprobe === undefined ? undefined : { ffmpeg, ffprobe };
}

async function namedTool(machine: Machine, variable: string, versionFlag: string) {
  const program = machine.env[variable];
  if (!program) return undefined;
  const found = await machine.find(program, versionFlag);
  if (found === undefined) throw new Error(`${variable} is ${program}, which does not start.`);
  return found;
}

async function requireTool<T>(
  name: string,
  machine: Machine,
  find: (machine: Machine) => Promise<T | undefined>,
  install: () => Promise<void>,
): Promise<T> {
  const found = await find(machine);
  if (found !== undefined) return found;
  return withFileLock(INSTALL_LOCK, async () => {
    const installedMeanwhile = await find(machine);
    if (installedMeanwhile !== undefined) return installedMeanwhile;
    console.error(`The tests need ${name}, which this machine lacks: trying to install it.`);
    await install();
    const installed = await find(machine);
    if (installed !== undefined) return installed;
    throw new Error(
      `The tests need ${name}, which could not be installed. Run \`${installCommand(machine)}\`, ` +
        `or name the programs by ${CHROME_PATH}, ${CURL_PATH}, ${DOCKER_COMPOSE_PATH}, ${FFMPEG_PATH}, ${MPV_PATH}, ` +
        `${NGINX_PATH}, ${PGBOUNCER_PATH}, ${POSTGRES_PATH} and ${PYTHON_PATH}.`,
    );
  });
}

function installCommand(machine: Machine): string {
  if (machine.platform === 'darwin')
    return 'brew install curl docker-compose ffmpeg mpv nginx pgbouncer postgresql@18 python3 && brew install --cask google-chrome';
  const install =
    'apt-get update && apt-get install -y chromium curl docker-compose ffmpeg mpv nginx-light pgbouncer postgresql python3';
  return machine.isRoot ? install : `sudo sh -c '${install}'`;
}

async function aptInstall(machine: Machine, debianPackage: string): Promise<void> {
  if (!machine.isRoot || (await machine.find('apt-get', '--version')) === undefined) return;
  await attempt(() => machine.run('apt-get', ['update', '-q']));
  await attempt(() =>
    machine.run('apt-get', ['install', '-y', '-q', '--no-install-recommends', debianPackage]),
  );
}

/** A failure is told and left: whoever installs looks afterwards whether the tool is there. */
async function attempt(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

function thisMachine(): Machine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    env: process.env,
    playwrightChromium: playwrightChromium(),
    find: findProgram,
    run: (program, args) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, {
          stdio: ['ignore', process.stderr, process.stderr],
          env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        });
        child.once('error', reject);
        child.once('exit', (code) => {
          if (code === 0) resolve();
          else reject(new Error(`${path.basename(program)} ${args.join(' ')} failed`));
        });
      }),
  };
}

async function findProgram(program: string, versionFlag: string): Promise<string | undefined> {
  const folders = program.includes(path.sep) ? [''] : (process.env.PATH ?? '').split(path.delimiter);
  for (const file of folders.map((folder) => path.resolve(folder, program))) {
    if (existsSync(file) && (await starts(file, versionFlag))) return file;
  }
  return undefined;
}

async function starts(file: string, versionFlag: string): Promise<boolean> {
  try {
    await promisify(execFile)(file, [versionFlag], { timeout: START_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

/** Playwright throws on a platform for which it has no Chromium. */
function playwrightChromium(): string | undefined {
  try {
    return chromium.executablePath();
  } catch {
    return undefined;
  }
}
