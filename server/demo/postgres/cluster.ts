import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../errors.ts';
import { ignore, makeFolder, makeFolderOnce, writeOnce } from '../atomicFiles.ts';
import { postgresBinaries, runBinary } from './binaries.ts';
import { canReach, type OsUser, SYSTEM_FOLDER, unprivilegedUser } from './osUser.ts';

const CLUSTER_FOLDER = 'postgres';
const LOCATION_FILE = 'postgres-location';
const PASSWORD_BYTES = 24;

export const SUPERUSER = 'postgres';

export type Cluster = {
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

/**
 * Returns the PostgreSQL cluster of `folder`, made if there is none. It never changes an existing one.
 *
 * The cluster is in `<folder>/postgres`. PostgreSQL refuses to run as root, so root runs it as an unprivileged user.
 * That user cannot enter the home of root: a folder there gets its cluster under `/var/lib`, noted in
 * `<folder>/postgres-location`.
 *
 * @param settings - settings of PostgreSQL, such as `fsync`, for a cluster that this call makes
 * @throws {OperatorError} when there are no binaries for this system or no right to use the folder
 */
export async function prepareCluster(asked: string, settings: Record<string, string>): Promise<Cluster> {
  await makeFolder(asked);
  const nobody = process.getuid?.() === 0 ? await unprivilegedUser() : null;
  const folder = await clusterFolder(await realpath(asked), nobody);
  const data = path.join(folder, 'data');
  const owner = await stat(data).catch(ignore('ENOENT'));
  if (owner !== null) refuseOtherOwner(data, owner, nobody);
  const { uid, gid } = owner ?? nobody ?? {};
  const runAs = nobody && uid !== undefined && gid !== undefined ? { uid, gid } : null;
  const binaries = await postgresBinaries(runAs);
  await makeFolderOnce(folder, (draft) => createCluster(draft, binaries, runAs, settings));
  return {
    folder,
    data,
    log: path.join(folder, 'postgres.log'),
    password: await readFile(path.join(folder, 'password'), 'utf8'),
    binaries,
    runAs,
    isShared: nobody !== null && runAs?.uid === nobody.uid,
  };
}

export function hasCluster(folder: string): boolean {
  return [path.join(CLUSTER_FOLDER, 'data'), LOCATION_FILE].some((place) =>
    existsSync(path.join(folder, place)),
  );
}

async function clusterFolder(folder: string, nobody: OsUser | null): Promise<string> {
  const usual = path.join(folder, CLUSTER_FOLDER);
  const locationFile = path.join(folder, LOCATION_FILE);
  const noted = (await readFile(locationFile, 'utf8').catch(ignore('ENOENT')))?.trim();
  if (noted !== undefined && nobody === null) {
    throw new OperatorError(
      `The database of ${folder} is in ${noted}, which is root's: start as root, or remove ${locationFile} for a new one`,
    );
  }
  if (noted !== undefined) return noted;
  if (nobody === null || existsSync(usual) || (await canReach(folder, nobody))) return usual;
  return (await writeOnce(locationFile, `${path.join(SYSTEM_FOLDER, randomUUID())}\n`)).trim();
}

/** Refuses a folder that another user copied: PostgreSQL starts only as the owner of its data, who is not root. */
function refuseOtherOwner(data: string, { uid }: { uid: number }, nobody: OsUser | null): void {
  if (nobody ? uid !== 0 : uid === process.getuid?.()) return;
  const wanted = nobody?.uid ?? process.getuid?.();
  throw new OperatorError(
    `The database in ${data} belongs to uid ${uid}, and PostgreSQL would run as uid ${wanted}. ` +
      `As root, run: chown -R ${wanted} ${path.dirname(data)}`,
  );
}

async function createCluster(
  folder: string,
  binaries: string,
  runAs: OsUser | null,
  settings: Record<string, string>,
): Promise<void> {
  const data = path.join(folder, 'data');
  const passwordFile = path.join(folder, 'password');
  await mkdir(folder);
  await chmod(folder, runAs ? 0o711 : 0o700);
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
  await runBinary(path.join(binaries, 'initdb'), options, runAs);
  // `initdb` alone had to read it as `runAs`.
  if (runAs) await chown(passwordFile, 0, 0);
}
