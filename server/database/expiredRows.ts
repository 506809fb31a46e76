import type { FastifyBaseLogger } from 'fastify';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { unavailableReason } from './database.ts';
import { firstIdAt } from './recordId.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Few enough to be deleted well within the query time-out. */
const ROWS_AT_ONCE = 5_000;

/** Deletes expired sessions, counts of attempts whose window is over, and records of tokens older than `ledgerDays`. */
export async function deleteExpiredRows(
  prisma: PrismaClient,
  { now, ledgerDays }: { now: Date; ledgerDays: number },
): Promise<void> {
  const firstIdKept = firstIdAt(new Date(now.getTime() - ledgerDays * DAY_MS));
  // Raw SQL for SKIP LOCKED: waiting for a row that is being written to could end in a deadlock.
  await inBatches(
    (most) => prisma.$executeRaw`
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE expires_at <= ${now}::timestamptz LIMIT ${most} FOR UPDATE SKIP LOCKED
      )`,
  );
  await inBatches(
    (most) => prisma.$executeRaw`
      DELETE FROM attempts WHERE key IN (
        SELECT key FROM attempts WHERE expires_at <= ${now}::timestamptz LIMIT ${most} FOR UPDATE SKIP LOCKED
      )`,
  );
  await inBatches(
    (most) => prisma.$executeRaw`
      DELETE FROM sign_in_counts WHERE key IN (
        SELECT key FROM sign_in_counts WHERE expires_at <= ${now}::timestamptz LIMIT ${most} FOR UPDATE SKIP LOCKED
      )`,
  );
  await inBatches(
    (most) => prisma.$executeRaw`
      DELETE FROM token_records WHERE id IN (
        SELECT id FROM token_records WHERE id < ${firstIdKept}::uuid ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED
      )`,
  );
}

async function inBatches(deleteSome: (most: number) => Promise<number>): Promise<void> {
  let deleted: number;
  do {
    deleted = await deleteSome(ROWS_AT_ONCE);
  } while (deleted === ROWS_AT_ONCE);
}

/**
 * Prunes now and every hour, without keeping the process alive. Logs a failure and tries again after an hour.
 * @returns the cleanup function, which waits for the pruning under way
 */
export function pruneHourly(
  prune: () => Promise<unknown>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  const run = () => {
    underWay = prune().catch((error: unknown) => {
      const { code } = error as { code?: unknown };
      log.warn({ reason: unavailableReason(error) ?? code }, 'expired rows were not deleted');
    });
  };
  run();
  const timer = setInterval(run, HOUR_MS).unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
