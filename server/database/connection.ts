import pg from 'pg';
import { OperatorError } from '../errors.ts';
import { toOperatorError } from './databaseErrors.ts';

/**
 * Settings on which our SQL, pg and Prisma's adapter rely, and which a server, database or role may set otherwise
 * (docs/decisions/0037-connection-settings.md).
 */
const SETTINGS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
};

/** These cannot be set for a connection: pg asks for UTF-8 by itself, and the others belong to server and database. */
const REQUIRED = {
  ...SETTINGS,
  client_encoding: 'UTF8',
  server_encoding: 'UTF8',
  session_replication_role: 'origin',
};

/**
 * Limits of time, which a role or database may set for other users. `statement_timeout`, and a migration's
 * `lock_timeout`, are asked for when connecting, and set afterwards where a proxy that keeps one backend dropped them.
 * None is required: an older pgbouncer.ini loses them.
 */
const NO_LIMITS = {
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
};

/** The limit of a transaction frees the locks of an instance that hangs. That of a statement ends its wait for a lock. */
export const SERVICE_LIMITS = {
  ...NO_LIMITS,
  idle_in_transaction_session_timeout: '10s',
  lock_timeout: '0',
};

/**
 * Ends a migration whose process or network is gone, and so frees its locks, within a minute: an idle one by its limit,
 * one at work once TCP or PostgreSQL's check of its client fails. The scripts themselves have no limit.
 */
export const MIGRATION_LIMITS = {
  ...NO_LIMITS,
  idle_in_transaction_session_timeout: '30s',
  idle_session_timeout: '30s',
  client_connection_check_interval: '10s',
  // PostgreSQL ignores these where the connection is a Unix socket.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30s',
};

/** Leaves out what this server does not have: `transaction_timeout` came with PostgreSQL 17. */
const APPLY_SETTINGS = `
  SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
  WHERE current_setting(name, true) IS NOT NULL`;

const READ_SETTINGS = 'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)';

const STATEMENT_TIMEOUT = `SELECT setting::integer AS ms FROM pg_settings WHERE name = 'statement_timeout'`;

const BACKEND = 'SELECT pg_backend_pid() AS pid';

type Connection = Pick<pg.Client, 'query'>;

const IDENTITY_TIMEOUT_MS = 5_000;

/**
 * Asks the server, because a pooler has an address of its own and may rename the database. Every role may read this.
 * A copied server keeps all identifiers, but not the moment at which it started.
 */
const IDENTITY = `
  SELECT datname AS name, oid || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS id
  FROM pg_database WHERE datname = current_database()`;

type Identity = { name: string; id: string };

export async function applySettings(
  connection: Connection,
  limits: Record<string, string> = SERVICE_LIMITS,
): Promise<void> {
  const settings = { ...SETTINGS, ...limits };
  await connection.query(APPLY_SETTINGS, [Object.keys(settings), Object.values(settings)]);
}

/** @throws {OperatorError} naming what is set otherwise: a pooler lost it, or it cannot be set for a connection */
export async function requireSettings(connection: Connection, variable: string): Promise<void> {
  const { rows } = await connection.query<{ name: keyof typeof REQUIRED; setting: string }>(READ_SETTINGS, [
    Object.keys(REQUIRED),
  ]);
  const wrong = rows.find(({ name, setting }) => setting !== REQUIRED[name]);
  if (wrong === undefined) return;
  const { name, setting } = wrong;
  const is = `The database of ${variable} has ${name} ${setting}, and ${REQUIRED[name]} is needed`;
  if (name === 'server_encoding') {
    throw new OperatorError(
      `${is}: create a database with createdb --owner=ROLE --encoding=UTF8 --locale=C.UTF-8 --template=template0, and restore a dump of this one into it`,
    );
  }
  if (name === 'session_replication_role') {
    throw new OperatorError(`${is}: run ALTER ROLE … RESET ${name}, or the same with ALTER DATABASE`);
  }
  throw new OperatorError(
    `${is}: a pooler in between loses what we set; see connect_query in deploy/pgbouncer.ini`,
  );
}

/**
 * Opens one connection with `applySettings`. Later errors of the connection reject queries and end no process.
 * @param config - `signal` ends the attempt to connect; `limits` of time are none by default. Through a pooler give
 *   those of the service: it keeps them for its other clients
 */
export async function openConnection(
  url: string,
  {
    timeoutMs,
    signal,
    limits = NO_LIMITS,
    ...config
  }: {
    timeoutMs: number;
    signal?: AbortSignal | undefined;
    limits?: Record<string, string>;
  } & pg.ClientConfig,
): Promise<pg.Client> {
  signal?.throwIfAborted();
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...config,
  });
  client.on('error', () => {});
  // `client.end()` would say goodbye first, which a host that does not answer never hears.
  const giveUp = () => void client.connection.stream.destroy(new Error('aborted'));
  signal?.addEventListener('abort', giveUp);
  try {
    await client.connect();
    await applySettings(client, limits);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** Returns whether `statement_timeout` was lost on the way: statements have no limit, or a longer one than was asked for. */
export async function lacksStatementTimeout(connection: Connection, askedMs: number): Promise<boolean> {
  const { rows } = await connection.query<{ ms: number }>(STATEMENT_TIMEOUT);
  const ms = rows[0]?.ms ?? 0;
  return ms === 0 || ms > askedMs;
}

/**
 * Returns whether a connection keeps one process of PostgreSQL over several transactions: then a setting that was lost
 * on the way can be set later. A pooler in transaction mode hands out the one that another connection gave back.
 */
export async function keepsBackend(url: string, timeoutMs: number): Promise<boolean> {
  const open = () => openConnection(url, { timeoutMs, limits: SERVICE_LIMITS });
  const [one, other] = await Promise.all([open(), open()]);
  const backend = async () => (await one.query<{ pid: number }>(BACKEND)).rows[0]?.pid;
  try {
    const backends = [await backend()];
    await other.query('BEGIN');
    await other.query(BACKEND);
    backends.push(await backend());
    await other.query('COMMIT');
    backends.push(await backend(), await backend());
    return new Set(backends).size === 1;
  } catch {
    // A pooler without a second process lets us wait.
    return false;
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

/** @param signal - ends the attempts to connect; its reason is thrown then */
export async function requireSameDatabase(
  databaseUrl: string,
  directUrl: string | null,
  signal?: AbortSignal,
): Promise<void> {
  if (directUrl === null) return;
  await withIdentity({ url: directUrl, variable: 'DATABASE_DIRECT_URL', signal }, (direct) =>
    withIdentity({ url: databaseUrl, variable: 'DATABASE_URL', signal }, async (pooled) => {
      if (direct.id === pooled.id) return;
      throw new OperatorError(
        `DATABASE_URL leads to the database ${pooled.name}, but DATABASE_DIRECT_URL to ${direct.name}, which is another one: ` +
          'correct the one that is wrong',
      );
    }),
  );
}

/** Keeps the connection open meanwhile: a server that is restarted would get another identity. */
async function withIdentity(
  { url, variable, signal }: { url: string; variable: string; signal: AbortSignal | undefined },
  use: (identity: Identity) => Promise<void>,
): Promise<void> {
  let client: pg.Client | undefined;
  try {
    client = await openConnection(url, { timeoutMs: IDENTITY_TIMEOUT_MS, signal, limits: SERVICE_LIMITS });
    const { rows } = await client.query<Identity>(IDENTITY);
    const { name, id } = rows[0] ?? { name: '', id: '' };
    await use({ name: `${name} at ${client.host}:${client.port}`, id });
  } catch (error) {
    throw signal?.aborted ? signal.reason : toOperatorError(error, variable);
  } finally {
    await client?.end();
  }
}
