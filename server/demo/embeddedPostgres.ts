import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError, type PostgresCluster, prepareCluster, SUPERUSER } from './postgresCluster.ts';
import { findPostmaster, portBeforeCrash, startPostmaster, stopPostmaster } from './postmaster.ts';

export { hasCluster } from './postgresCluster.ts';

const DATABASE = 'audio';
const OPEN_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 20_000;
const RETRY_MS = 20;
const REJOIN_MS = 1_000;
const MAX_FAILED_STARTS = 10;
const LOG_TAIL_LINES = 5;

/** Shared by everyone who uses the cluster; taken alone by the one who stops it. */
const USERS_LOCK_KEY = 726_120_017;

/** `duplicate_database`, and the unique violation that two at the very same time meet. */
const ALREADY_THERE = ['42P04', '23505'];

export type EmbeddedPostgres = {
  /** Of a database of our own in it, UTF-8, with nothing in it at first. */
  url: string;
  /** Where the data really lies. */
  folder: string;
  /** Lets go of it. PostgreSQL stops when nobody else uses it. Connections of one's own are to be closed before. */
  close(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** Made where it is missing. See `prepareCluster` for what goes where. */
  folder: string;
  /** PostgreSQL's own, `fsync` for one, for a cluster that this call makes. */
  settings?: Record<string, string>;
};

/**
 * The PostgreSQL that belongs to a folder: made when there is none yet, started when it does not run. Data is never
 * deleted. Any number of processes may have it open; one killed without `close` leaves PostgreSQL running, and the
 * next to come takes it over. After a crash of PostgreSQL itself the next to come starts it again.
 *
 * @throws {EmbeddedPostgresError} when it cannot be had
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
    close,
  };

  /** A crash in one of its processes makes PostgreSQL end every connection and go on: we must be among its users again. */
  function keep(connection: pg.Client): void {
    keeper = connection;
    connection.once('end', async () => {
      keeper = null;
      while (closed === undefined) {
        await delay(REJOIN_MS, undefined, { ref: false });
        const found = await join(cluster).catch(() => null);
        if (found === null) continue;
        if (closed === undefined) keep(found);
        else await found.end();
        return;
      }
    });
  }
}

/** Finds or starts PostgreSQL and joins its users. Whoever comes while the last user stops it begins anew. */
async function becomeUser(cluster: PostgresCluster): Promise<pg.Client> {
  const deadline = Date.now() + OPEN_TIMEOUT_MS;
  // Whoever outlived a crash finds the database again where it was.
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
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL does not come up. The end of ${cluster.log}:\n` +
      log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    { cause: reason },
  );
}

/** A connection that counts us among the users for as long as it lasts; null when PostgreSQL is not ready for one. */
async function join(cluster: PostgresCluster): Promise<pg.Client | null> {
  const running = await findPostmaster(cluster);
  if (!running?.isReady) return null;
  const keeper = new pg.Client({
    host: '127.0.0.1',
    port: running.port,
    user: SUPERUSER,
    password: cluster.password,
    // Locks belong to a database: everyone has to meet in the same.
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

/** Where it is, nobody can join any more while the connection lasts. Not so when PostgreSQL is gone already. */
async function isLastUser(connection: pg.Client): Promise<boolean> {
  try {
    await connection.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK_KEY]);
    const { rows } = await connection.query('SELECT pg_try_advisory_lock($1) AS alone', [USERS_LOCK_KEY]);
    return rows[0].alone;
  } catch {
    return false;
  }
}
