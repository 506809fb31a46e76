import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { MINUTE_MS } from '../../shared/durations.ts';
import { ADDRESS_TIMEOUT_MS } from '../config/addresses.ts';
import { OperatorError } from '../errors.ts';
import { PrismaClient } from '../generated/prisma/client.ts';
import { type Condition, DATABASE_CONDITIONS, type LookOptions } from './conditions.ts';
import { applySettings, keepsBackend, lacksStatementTimeout, SERVICE_LIMITS } from './connection.ts';
import { refusesSettings, toOperatorError } from './databaseErrors.ts';
import { RightsMissing } from './rights.ts';

export const DATABASE_CONNECT_TIMEOUT_MS = ADDRESS_TIMEOUT_MS + 1_400;
export const DATABASE_QUERY_TIMEOUT_MS = 1_300;

const MAX_CONNECTIONS = 10;
const WARM_CONNECTIONS = 4;
/** This program waits this much longer than PostgreSQL, so that it is PostgreSQL that gives up on a slow query. */
const ANSWER_GRACE_MS = 200;
/** One query without an answer ends well within 3 s (docs/decisions/0016-database-time-limits.md). */
const STATEMENT_TIMEOUT_MS = DATABASE_QUERY_TIMEOUT_MS - ANSWER_GRACE_MS;
const IDLE_TIMEOUT_MS = MINUTE_MS;
/** Named in all our SQL, so that nothing depends on `search_path`. */
const SCHEMA = 'public';

export type Database = {
  prisma: PrismaClient;
  /**
   * Opens a few connections before the first requests, and checks their time limit and the conditions of a start. Does
   * not reject when the database does not answer: an outage that begins here does not stop the start.
   * @throws {OperatorError} when a condition does not hold that ends a start, or a pooler refuses the settings
   */
  warmUp(): Promise<void>;
  /**
   * Resolves when the database answers and lets us change rows. Calls at the same time share one query, so that a flood
   * of them takes no connection from requests. Rejects within the connect and query time-outs when it does not answer,
   * or with `RightsMissing` when we may only read it; `isDatabaseUnavailable` is true for both errors.
   */
  ping(): Promise<void>;
  connections(): { total: number; idle: number; waiting: number; max: number };
  /** Waits for the queries under way. `isDatabaseUnavailable` is true for the errors of later queries. */
  close(): Promise<void>;
};

export type DatabaseOptions = {
  maxConnections?: number;
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
  /** Limits a whole transaction, and the wait before it; Prisma's own limits apply if it is not given. */
  transactionTimeoutMs?: number;
  onConnectionLost?: (error: Error) => void;
  onWarning?: (warning: string) => void;
};

/** Connects with the first query. `isDatabaseUnavailable` is true for the error of a query that takes too long. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const statementTimeoutMs = options.queryTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const lookOptions = { clock: () => new Date(), statementTimeoutMs };
  const { transactionTimeoutMs: timeout } = options;
  const limits: Record<string, string> = {
    ...SERVICE_LIMITS,
    ...(timeout && { idle_in_transaction_session_timeout: `${timeout}ms` }),
  };
  const max = options.maxConnections ?? MAX_CONNECTIONS;
  let closed: Promise<void> | undefined;
  let ping: Promise<void> | undefined;
  const pool = new pg.Pool({
    // The pool calls it by `new`, which returns what it returns.
    Client: createPoolClient as unknown as new () => pg.Client,
    connectionString: url,
    max,
    connectionTimeoutMillis: options.connectTimeoutMs ?? DATABASE_CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    onConnect: (client) => applySettings(client, limits),
  });
  pool.on('error', (error) => {
    if (closed === undefined) options.onConnectionLost?.(error);
  });
  pool.on('release', (error, client) => {
    // A transaction that got no answer: its ROLLBACK was never sent, and later statements would run inside it.
    if (client.getTransactionStatus() !== 'I') void client.end();
    if (error instanceof Error && !(error instanceof pg.DatabaseError)) dropIdleConnections(pool);
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { schema: SCHEMA }),
    errorFormat: 'minimal',
    ...(timeout && { transactionOptions: { timeout, maxWait: timeout } }),
  });
  return {
    prisma,
    async warmUp() {
      const warm = <T>(use: (client: pg.PoolClient) => Promise<T>) =>
        Promise.allSettled(Array.from({ length: WARM_CONNECTIONS }, () => withConnection(pool, use)));
      const looks = await warm(async (client) => {
        await lookAt((condition) => condition.atStart === 'ends', client, lookOptions);
        return lacksStatementTimeout(client, statementTimeoutMs);
      });
      const failures = looks.flatMap((look) => (look.status === 'rejected' ? [look.reason] : []));
      const fault = failures.find(isLasting);
      if (fault !== undefined) throw toOperatorError(fault, 'DATABASE_URL');
      const isUnlimited = looks.some((look) => look.status === 'fulfilled' && look.value);
      if (isUnlimited && (await keepsBackend(url, DATABASE_CONNECT_TIMEOUT_MS).catch(() => false))) {
        limits.statement_timeout = `${statementTimeoutMs}ms`;
        await warm((client) => applySettings(client, limits));
      }
      const warnings = await withConnection(pool, (client) =>
        lookAt((condition) => condition.atStart === 'warns', client, lookOptions),
      ).catch(() => []);
      for (const warning of warnings) options.onWarning?.(warning);
    },
    ping() {
      ping ??= lookAt((condition) => condition.isAskedWhenReady === true, pool, lookOptions)
        .then(() => {})
        .catch((error: unknown) => {
          // A connection that was opened while the database was read-only stays so.
          if (error instanceof RightsMissing && error.code === '25006') dropIdleConnections(pool);
          throw error;
        })
        .finally(() => {
          ping = undefined;
        });
      return ping;
    },
    connections() {
      return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, max };
    },
    close() {
      closed ??= prisma.$disconnect().then(() => pool.end());
      return closed;
    },
  };
}

/**
 * Makes a client that fails to connect if a file of `sslrootcert`, `sslcert` or `sslkey` is gone. pg would throw into
 * the pool instead: the request that waits would never hear of it, and the process would end.
 */
function createPoolClient(config?: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client(config);
  } catch (error) {
    const connect = (onEnd: (error: unknown) => void) => void setImmediate(onEnd, error);
    return Object.assign(new pg.Client(), { connect });
  }
}

async function lookAt(
  isMeant: (condition: Condition) => boolean,
  connection: Pick<pg.Client, 'query'>,
  options: LookOptions,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { atStart, look } of DATABASE_CONDITIONS.filter(isMeant)) {
    const found = await look(connection, options).catch((error: unknown) => {
      if (atStart === 'warns' && error instanceof OperatorError) return { warning: error.message };
      throw error;
    });
    if (found !== null && typeof found !== 'string') warnings.push(found.warning);
  }
  return warnings;
}

/** False for an outage, which may end by itself. */
function isLasting(error: Error): boolean {
  return error instanceof OperatorError || error instanceof RightsMissing || refusesSettings(error);
}

async function withConnection<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A lost connection rejects the query under way too. The pool listens only while the client is idle, and an error that
  // nobody listens to ends the process.
  const ignoreError = () => {};
  client.on('error', ignoreError);
  let failure: Error | undefined;
  try {
    return await use(client);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.off('error', ignoreError);
    client.release(failure);
  }
}

/** Takes each from the pool first, since pg closes none that is idle in it (docs/decisions/0016-database-time-limits.md). */
function dropIdleConnections(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect((_error, client, release) => {
      if (client !== undefined) release(true);
    });
  }
}
