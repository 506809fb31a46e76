import pg from 'pg';
import { directDatabase, readConfig } from '../config/config.ts';
import { dataFolder } from '../config/paths.ts';
import { openDatabase } from '../database/database.ts';
import { blaming } from '../database/databaseFault.ts';
import { applyMigrations } from '../database/migrate.ts';
import { OperatorError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

/** Longer than the server's: a list or an import may take long, and no page waits for it. */
const QUERY_TIMEOUT_MS = 30_000;
/** Longer than the server's: a slow connection must not end an import half-way. */
const CONNECT_TIMEOUT_MS = 10_000;

export type AccountsDatabase = {
  prisma: PrismaClient;
  /** Describes the database to the person at the terminal, without its address. */
  name: string;
  /** The environment variable of its URL, for messages. */
  variable: string;
  /** Opens a connection outside of the pool; the caller ends it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
};

/**
 * Opens the server's database with every migration applied: `DATABASE_DIRECT_URL`, else `DATABASE_URL`, else the embedded one.
 * @param signal - aborts waiting for the database
 * @throws {ConfigError} when `DATABASE_URL` or `NODE_ENV` is wrong, or `DATABASE_URL` is missing in production
 * @throws {OperatorError} when the embedded database cannot be started, or is not installed (`npm run assemble` leaves it out)
 */
export async function openAccountsDatabase(
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<AccountsDatabase> {
  const { NODE_ENV, DATABASE_URL, DATABASE_DIRECT_URL } = env;
  const config = readConfig({ NODE_ENV, DATABASE_URL, DATABASE_DIRECT_URL }, ['DATABASE_URL']);
  const { url, variable } = directDatabase(config, config.world.databaseUrl);
  if (url !== undefined) return openMigrated(url, { name: `the database of ${variable}`, variable, signal });
  const { openEmbeddedPostgres, hasCluster } = await import('../demo/embeddedPostgres.ts').catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorError('DATABASE_URL is required: the embedded database is not installed here');
  });
  const isNew = !hasCluster(dataFolder());
  const postgres = await openEmbeddedPostgres({ folder: dataFolder() }).catch((error: Error) => {
    throw new OperatorError(error.message, { cause: error });
  });
  try {
    const kind = isNew
      ? "a new embedded database, the demo's, for DATABASE_URL is not set,"
      : 'the embedded database';
    const name = `${kind} under ${postgres.folder}`;
    const { close, ...database } = await openMigrated(postgres.url, { name, variable, signal });
    return { ...database, close: () => close().finally(() => postgres.close()) };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

async function openMigrated(
  url: string,
  { name, variable, signal }: { name: string; variable: string; signal: AbortSignal | undefined },
): Promise<AccountsDatabase> {
  await applyMigrations(url, { variable, ...(signal && { signal }) }).catch((error) => {
    throw blaming(variable, error);
  });
  const database = openDatabase(url, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  return {
    prisma: database.prisma,
    name,
    variable,
    async connect() {
      const connection = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        statement_timeout: QUERY_TIMEOUT_MS,
        query_timeout: QUERY_TIMEOUT_MS,
      });
      // The next query fails with it too.
      connection.on('error', () => {});
      await connection.connect();
      return connection;
    },
    close: () => database.close(),
  };
}
