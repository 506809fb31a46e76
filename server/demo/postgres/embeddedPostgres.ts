import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { type Cluster, prepareCluster, SUPERUSER } from './cluster.ts';
import { findPostmaster, spawnPostmaster, stopPostmaster } from './postmaster.ts';

export { hasCluster } from './cluster.ts';

const DATABASE = 'audio';
const OPEN_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 20_000;
const RETRY_MS = 20;
/** Several, since the processes of a PostgreSQL that was killed keep its memory until they notice. */
const MAX_STARTS = 10;
const RESTART_MS = 100;
const LOG_TAIL_LINES = 5;

/** `duplicate_database`, and the unique violation of two creations at the same time. */
const ALREADY_THERE = ['42P04', '23505'];

/**
 * Each process marks the one connection that says that it uses PostgreSQL, until it is about to leave. No other counts,
 * since PostgreSQL may still list those that a process just closed.
 */
const PRESENT = 'present';
const LEAVING = 'leaving';
const OTHERS = `SELECT FROM pg_stat_activity WHERE application_name = '${PRESENT}' LIMIT 1`;

export type EmbeddedPostgres = {
  url: string;
  folder: string;
  isShared: boolean;
  /** Stops PostgreSQL when no other process has it open. */
  close(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  folder: string;
  settings?: Record<string, string>;
  /** Called once when PostgreSQL was killed; only the next process that opens the folder starts it again. */
  onGone?: (() => void) | undefined;
};

/**
 * Opens the PostgreSQL of a folder: makes it if there is none, starts it if it does not run, never deletes data. Any
 * number of processes may have it open. When one is killed, PostgreSQL goes on and the next process uses it
 * (docs/decisions/0003-embedded-postgresql.md).
 *
 * @throws {OperatorError} when there is none for this system, or it does not start
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folder, settings = {}, onGone } = options;
  const cluster = await prepareCluster(folder, settings);
  // Kept open, so that others find that this process uses it.
  const { presence, port } = await startAndConnect(cluster);
  let closed: Promise<void> | undefined;
  presence.once('end', async () => {
    if (closed === undefined && (await findPostmaster(cluster)) === null) onGone?.();
  });
  const close = () => {
    closed ??= leave(cluster, presence);
    return closed;
  };
  try {
    await createDatabase(presence);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `postgresql://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/${DATABASE}`,
    folder: cluster.folder,
    isShared: cluster.isShared,
    close,
  };
}

async function startAndConnect(cluster: Cluster): Promise<{ presence: pg.Client; port: number }> {
  const deadline = Date.now() + OPEN_TIMEOUT_MS;
  let child: ChildProcess | null = null;
  let starts = 0;
  let cause: unknown;
  while (Date.now() < deadline) {
    const running = await findPostmaster(cluster);
    if (running !== null) {
      try {
        return { presence: await connect(cluster, running.port), port: running.port };
      } catch (error) {
        cause = error;
      }
    } else if (child === null || (child.exitCode ?? child.signalCode) !== null) {
      if (starts === MAX_STARTS) break;
      if (starts > 0) await delay(RESTART_MS);
      child = await spawnPostmaster(cluster);
      starts += 1;
    }
    await delay(RETRY_MS);
  }
  const log = await readFile(cluster.log, 'utf8').catch(() => '');
  throw new OperatorError(
    `The embedded PostgreSQL does not come up. The end of ${cluster.log}:\n` +
      log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    { cause },
  );
}

async function connect(cluster: Cluster, port: number): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password: cluster.password,
    database: 'postgres',
    application_name: PRESENT,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function createDatabase(presence: pg.Client): Promise<void> {
  const { rowCount } = await presence.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount !== 0) return;
  try {
    await presence.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && ALREADY_THERE.includes(error.code ?? ''))) throw error;
  }
}

async function leave(cluster: Cluster, presence: pg.Client): Promise<void> {
  try {
    if (await isUsedByOthers(presence)) return;
    await stopPostmaster(cluster);
  } finally {
    await presence.end();
  }
}

async function isUsedByOthers(presence: pg.Client): Promise<boolean> {
  try {
    await presence.query(`SET application_name = '${LEAVING}'`);
    return (await presence.query(OTHERS)).rowCount !== 0;
  } catch {
    return true;
  }
}
