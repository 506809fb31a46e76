import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ignore, makeFolder, makeFolderOnce, writeOnce } from '../atomicFiles.ts';
import { canReach, NOBODY, type OsUser, postgresBinaries, runBinary, SYSTEM_FOLDER } from './binaries.ts';

const PASSWORD_BYTES = 24;

export const SUPERUSER = 'postgres';

export type Cluster = { folder: string; data: string; log: string; password: string };

/** `runAs` is null for the user of this process. */
export type RunnableCluster = Cluster & { binaries: string; runAs: OsUser | null };

/**
 * Returns the PostgreSQL cluster of a folder, made if there is none. It never changes an existing one.
 *
 * The cluster is in `<folder>/postgres`. PostgreSQL refuses to run as root, so root runs it as an unprivileged user.
 * That user cannot enter the home of root: a folder there gets its cluster under `/var/lib`, noted in
 * `<folder>/postgres-location`.
 *
 * @param settings - settings of PostgreSQL, such as `fsync`, for a cluster that this call makes
 * @throws {OperatorError} when there are no binaries for this system or they do not work
 */
export async function prepareCluster(
  asked: string,
  settings: Record<string, string>,
): Promise<RunnableCluster> {
  await makeFolder(asked);
  const isRoot = process.getuid?.() === 0;
  let folder = await clusterFolder(asked);
  if (isRoot && !existsSync(folder) && !(await canReach(path.dirname(folder), NOBODY))) {
    const elsewhere = path.join(SYSTEM_FOLDER, randomUUID());
    folder = (await writeOnce(locationFile(asked), `${elsewhere}\n`)).trim();
  }
  const owner = await stat(path.join(folder, 'data')).catch(ignore('ENOENT'));
  const runAs = isRoot ? (owner?.uid ? { uid: owner.uid, gid: owner.gid } : NOBODY) : null;
  const binaries = await postgresBinaries(runAs);
  await makeFolderOnce(folder, (draft) => createCluster(draft, binaries, runAs, settings));
  return { ...(await readCluster(folder)), binaries, runAs };
}

export async function findCluster(asked: string): Promise<Cluster | null> {
  return clusterFolder(asked).then(readCluster).catch(ignore('ENOENT'));
}

async function readCluster(folder: string): Promise<Cluster> {
  const password = await readFile(path.join(folder, 'password'), 'utf8');
  return { folder, data: path.join(folder, 'data'), log: path.join(folder, 'postgres.log'), password };
}

async function clusterFolder(asked: string): Promise<string> {
  const noted = await readFile(locationFile(asked), 'utf8').catch(ignore('ENOENT'));
  return noted?.trim() ?? path.join(await realpath(asked), 'postgres');
}

function locationFile(asked: string): string {
  return path.join(asked, 'postgres-location');
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
    for (const owned of [data, passwordFile]) await chown(owned, runAs.uid, runAs.gid);
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
}
