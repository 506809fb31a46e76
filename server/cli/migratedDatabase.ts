import { openDatabase } from '../database/database.ts';
import { requireMigrations } from '../database/migrations.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { locateDatabase } from './locateDatabase.ts';

/** Longer than the server's: a list or an import may take long, and no page waits for it. */
const QUERY_TIMEOUT_MS = 30_000;
/** Longer than the server's: a slow connection must not end an import half-way. */
const CONNECT_TIMEOUT_MS = 10_000;

export type MigratedDatabase = {
  prisma: PrismaClient;
  variable: string;
  close(): Promise<void>;
};

export async function openMigrated(
  env: NodeJS.ProcessEnv,
  { onName, signal }: { onName: (name: string) => void; signal: AbortSignal },
): Promise<MigratedDatabase> {
  const { url, variable, close } = await locateDatabase(env, { mayCreate: false, onName });
  try {
    await requireMigrations(url, { variable, signal });
  } catch (error) {
    await close();
    throw error;
  }
  const database = openDatabase(url, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    transactionTimeoutMs: QUERY_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  return { prisma: database.prisma, variable, close: () => database.close().finally(close) };
}
