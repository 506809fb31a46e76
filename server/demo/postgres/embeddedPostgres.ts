import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { PROJECT_ROOT } from '../../config/folders.ts';
import { OperatorError } from '../../errors.ts';
import { NOBODY } from './binaries.ts';
import { type Cluster, findCluster, prepareCluster, type RunnableCluster, SUPERUSER } from './cluster.ts';
import {
  commandLine,
  findPostmaster,
  type Postmaster,
  spawnPostmaster,
  stopPostmaster,
} from './postmaster.ts';

const DATABASE = 'audio';
const OPEN_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 20_000;
const RETRY_MS = 50;
/** Several: after PostgreSQL's main process was killed, starts fail until its children have ended too. */
const MAX_STARTS = 20;
/** A PostgreSQL that nobody has owned for this long is an orphan. Another server owns its own at once. */
const ORPHAN_AFTER_MS = 2_000;
const LOG_TAIL_LINES = 5;

const OWNER_LOCK_KEY = 79_776_101;
const TRY_LOCK = `SELECT pg_try_advisory_lock(${OWNER_LOCK_KEY}) AS locked`;
const OWNER = `SELECT application_name AS process FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objid = ${OWNER_LOCK_KEY}`;

export type RunningPostgres = { url: string; folder: string };

export type EmbeddedPostgres = RunningPostgres & {
  /** It runs as `nobody`, whose other programs can then read and change the data. */
  isShared: boolean;
  close(): Promise<void>;
};

/**
 * Starts the PostgreSQL of a folder and owns it until `close`: no other process can open it meanwhile, and it ends with
 * this process (docs/decisions/0036-database-of-the-server.md). Makes it if there is none; never deletes data.
 *
 * @param options - `onLost` is called when PostgreSQL was killed or cut the connection that makes this process its owner
 * @throws {OperatorError} when another process owns it, there is none for this system, or it does not start
 */
export async function openEmbeddedPostgres(options: {
  folder: string;
  settings?: Record<string, string>;
  onLost?: (() => void) | undefined;
}): Promise<EmbeddedPostgres> {
  const { folder, settings = {}, onLost } = options;
  const cluster = await prepareCluster(folder, settings);
  const { lock, postmaster, child } = await startAndLock(cluster);
  let isOwner = true;
  lock.once('end', () => {
    if (isOwner) onLost?.();
    isOwner = false;
    child.stdin?.destroy();
  });
  return {
    ...addressOf(cluster, postmaster),
    isShared: cluster.runAs?.uid === NOBODY.uid,
    async close() {
      if (!isOwner) return;
      isOwner = false;
      await stopPostmaster(postmaster);
      await lock.end();
    },
  };
}

export async function findEmbeddedPostgres(folder: string): Promise<RunningPostgres | null> {
  const cluster = await findCluster(folder);
  if (cluster === null) return null;
  const postmaster = await findPostmaster(cluster);
  return postmaster?.status === 'ready' ? addressOf(cluster, postmaster) : null;
}

function addressOf({ folder, password }: Cluster, { port }: Postmaster): RunningPostgres {
  return { url: `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`, folder };
}

async function startAndLock(
  cluster: RunnableCluster,
): Promise<{ lock: pg.Client; postmaster: Postmaster; child: ChildProcess }> {
  const deadline = Date.now() + OPEN_TIMEOUT_MS;
  let child: ChildProcess | null = null;
  let starts = 0;
  let orphan = { pid: 0, sinceMs: 0 };
  let cause: unknown;
  for (; Date.now() < deadline; await delay(RETRY_MS)) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.status === 'ready') {
      try {
        const lock = await tryLock(cluster, postmaster);
        if (lock !== null && child?.pid === postmaster.pid) return { lock, postmaster, child };
        if (lock !== null) {
          await lock.end();
          if (orphan.pid !== postmaster.pid) orphan = { pid: postmaster.pid, sinceMs: Date.now() };
          else if (Date.now() - orphan.sinceMs > ORPHAN_AFTER_MS) await stopPostmaster(postmaster);
        }
      } catch (error) {
        if (error instanceof OperatorError) throw error;
        cause = error;
      }
    } else if (postmaster === null || postmaster.status === 'ended') {
      if (child !== null && (child.exitCode ?? child.signalCode) === null) continue;
      if (starts === MAX_STARTS) break;
      child = await spawnPostmaster(cluster, postmaster);
      starts += 1;
    }
  }
  const log = await readFile(cluster.log, 'utf8').catch(() => '');
  throw new OperatorError(
    `The embedded PostgreSQL does not come up. The end of ${cluster.log}:\n` +
      log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    { cause },
  );
}

/**
 * Becomes the owner by an advisory lock, which lasts as long as the returned connection. Null while the lock is with a
 * process that has just ended, or PostgreSQL is stopping.
 * @throws {OperatorError} naming the process that owns it
 */
async function tryLock(cluster: Cluster, { port }: Postmaster): Promise<pg.Client | null> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password: cluster.password,
    database: 'postgres',
    application_name: `process ${process.pid} (${path.relative(PROJECT_ROOT, process.argv[1] ?? '')})`,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  client.on('error', () => {});
  let isOwner = false;
  try {
    await client.connect();
    const { rows } = await client.query<{ locked: boolean }>(TRY_LOCK);
    if (!rows[0]?.locked) {
      await refuseIfOwned(client, cluster);
      return null;
    }
    // The lock may be free because the owner is stopping PostgreSQL: then the status has changed from `ready`.
    if ((await findPostmaster(cluster))?.status !== 'ready') return null;
    await createDatabase(client);
    isOwner = true;
    return client;
  } finally {
    if (!isOwner) await client.end();
  }
}

async function refuseIfOwned(client: pg.Client, { folder }: Cluster): Promise<void> {
  const [owner] = (await client.query<{ process: string }>(OWNER)).rows;
  const [pid] = owner?.process.match(/\d+/) ?? [];
  if (owner === undefined || (await commandLine(Number(pid))) === '') return;
  throw new OperatorError(
    `Another server uses the database under ${folder}: ${owner.process}. Stop it first, or set DATA_DIR to another folder`,
  );
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
}
