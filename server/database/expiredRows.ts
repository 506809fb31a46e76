import type { FastifyBaseLogger } from 'fastify';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { unavailableReason } from './database.ts';
import { firstIdAt } from './recordId.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** So few that deleting them ends well within the query time-out. */
const ROWS_AT_ONCE = 5_000;

/**
 * Deletes rows that mean nothing any more: sessions that ran out, counts of attempts whose window is over, and records of
 * tokens older than `ledgerDays`.
 */
export async function deleteExpiredRows(
  prisma: PrismaClient,
  { now, ledgerDays }: { now: Date; ledgerDays: number },
): Promise<void> {
  const firstIdKept = firstIdAt(new Date(now.getTime() - ledgerDays * DAY_MS));
  // A row that is just being written to is left alone: waiting for it could end in a deadlock.
  await inBatches(
    (most) => prisma.$executeRaw`
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE expires_at <= ${now}::timestamptz LIMIT ${most} FOR UPDATE SKIP LOCKED
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
 * Prunes now and every hour, without keeping the process alive. A failure is logged, and the next hour comes.
 * @returns what stops it, after the pruning that is under way
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
