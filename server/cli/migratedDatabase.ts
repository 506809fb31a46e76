import { openDatabase } from '../database/database.ts';
import { UnfinishedMigration } from '../database/migrations/migrationState.ts';
import { requireMigrations } from '../database/migrations/migrations.ts';
import { OperatorError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { locateDatabase } from './locateDatabase.ts';

/** Longer than the server's: a list or an import may take long, and no page waits for it. */
const QUERY_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

const USE_RELEASE_THAT_SERVES =
  'Until then use the account commands of the release that serves: with systemd link /opt/audio to its folder again, ' +
  'in containers run them in an instance that has its image, such as app-2';

export type MigratedDatabase = {
  prisma: PrismaClient;
  variable: string;
  close(): Promise<void>;
};

export async function openMigrated(
  env: NodeJS.ProcessEnv,
  { onName, signal }: { onName: (name: string) => void; signal: AbortSignal },
): Promise<MigratedDatabase> {
  const { url, variable } = await locateDatabase(env, onName);
  try {
    await requireMigrations(url, { variable, signal });
  } catch (error) {
    if (error instanceof UnfinishedMigration) {
      throw new OperatorError(`${error.message}. ${USE_RELEASE_THAT_SERVES}`);
    }
    throw error;
  }
  const database = openDatabase(url, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    transactionTimeoutMs: QUERY_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  return { prisma: database.prisma, variable, close: () => database.close() };
}
