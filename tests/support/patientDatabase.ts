import { type Database, openDatabase } from '../../server/database/database.ts';

/** Longer than any machine takes, however busy. */
export const PATIENCE_MS = 120_000;

/** Opens a database without production's and Prisma's limits of time, which a busy machine may exceed. */
export function openPatientDatabase(url: string, queryTimeoutMs = PATIENCE_MS): Database {
  return openDatabase(url, {
    connectTimeoutMs: PATIENCE_MS,
    queryTimeoutMs,
    transactionTimeoutMs: PATIENCE_MS,
  });
}
