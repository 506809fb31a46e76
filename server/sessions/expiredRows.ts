import type { FastifyBaseLogger } from 'fastify';
import { unavailableReason } from '../database/database.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

const HOUR_MS = 3_600_000;

/** So few that deleting them ends well within the query time-out. */
const ROWS_AT_ONCE = 5_000;

/** Deletes sessions that ran out and counts of attempts whose window is over: rows that mean nothing any more. */
export async function deleteExpiredRows(prisma: PrismaClient, now: Date): Promise<void> {
  await prisma.session.deleteMany({ where: { expiresAt: { lte: now } } });
  let deleted: number;
  do {
    // A row that is just being counted on is left alone: waiting for it could end in a deadlock.
    deleted = await prisma.$executeRaw`
      DELETE FROM sign_in_counts WHERE key IN (
        SELECT key FROM sign_in_counts WHERE expires_at <= ${now}::timestamptz
        LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED
      )`;
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
