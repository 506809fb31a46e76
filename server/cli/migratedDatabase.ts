import { openDatabase } from '../database/database.ts';
import { requireMigrations } from '../database/migrate.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { type LocatedDatabase, locateDatabase } from './locateDatabase.ts';

/** Longer than the server's: a list or an import may take long, and no page waits for it. */
const QUERY_TIMEOUT_MS = 30_000;
/** Longer than the server's: a slow connection must not end an import half-way. */
const CONNECT_TIMEOUT_MS = 10_000;

export type MigratedDatabase = {
  prisma: PrismaClient;
  variable: string;
  close(): Promise<void>;
};

/** Migrates nothing: throws an `OperatorError` when a migration is missing. Calls `onName` before the first query. */
export async function openMigratedDatabase(
  env: NodeJS.ProcessEnv,
  { onName, signal }: { onName: (name: string) => void; signal?: AbortSignal },
): Promise<MigratedDatabase> {
  const found = await locateDatabase(env, { mayCreate: false, onName });
  try {
    const { close, ...database } = await openMigrated(found, signal);
    return { ...database, close: () => close().finally(() => found.close()) };
  } catch (error) {
    await found.close();
    throw error;
  }
}

async function openMigrated(
  { url, variable }: LocatedDatabase,
  signal: AbortSignal | undefined,
): Promise<MigratedDatabase> {
  await requireMigrations(url, { variable, ...(signal && { signal }) });
  const database = openDatabase(url, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    transactionTimeoutMs: QUERY_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  return {
    prisma: database.prisma,
    variable,
    close: () => database.close(),
  };
}
