import type { FastifyBaseLogger } from 'fastify';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { unavailableReason } from './isDatabaseUnavailable.ts';
import { firstIdAt } from './recordId.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ROWS_AT_ONCE = 5_000;

export type DeletedRows = {
  sessions: number;
  attempts: number;
  tokenRecords: number;
  auditLines: number;
  deletedAccounts: number;
};

/** @param now - the time of the database, because a wrong clock of this machine must not empty the ledger */
export async function deleteExpiredRows(
  prisma: PrismaClient,
  { now, ledgerDays }: { now: Date; ledgerDays: number },
): Promise<DeletedRows> {
  const firstKept = new Date(now.getTime() - ledgerDays * DAY_MS);
  const firstIdKept = firstIdAt(firstKept);
  // Raw SQL for SKIP LOCKED: waiting for a row that is being written to could end in a deadlock.
  const deleteExpired = (table: Prisma.Sql, key: Prisma.Sql) =>
    inBatches(
      (most) => prisma.$executeRaw`
        DELETE FROM ${table} WHERE ${key} IN (
          SELECT ${key} FROM ${table} WHERE expires_at <= ${now}::timestamptz LIMIT ${most} FOR UPDATE SKIP LOCKED
        )`,
    );
  const sessions = await deleteExpired(Prisma.sql`sessions`, Prisma.sql`id`);
  const attempts = await deleteExpired(Prisma.sql`attempts`, Prisma.sql`key`);
  const tokenRecords = await inBatches(
    (most) => prisma.$executeRaw`
      DELETE FROM token_records WHERE id IN (
        SELECT id FROM token_records WHERE id < ${firstIdKept}::uuid ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED
      )`,
  );
  const { count: auditLines } = await prisma.auditLine.deleteMany({ where: { at: { lt: firstKept } } });
  // An account has no line in the ledger after its deletion, so its name can go with its last line.
  const { count: deletedAccounts } = await prisma.deletedAccount.deleteMany({
    where: { deletedAt: { lt: firstKept } },
  });
  return { sessions, attempts, tokenRecords, auditLines, deletedAccounts };
}

async function inBatches(deleteSome: (most: number) => Promise<number>): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    deleted = await deleteSome(ROWS_AT_ONCE);
    total += deleted;
  } while (deleted === ROWS_AT_ONCE);
  return total;
}

/** Prunes now and every hour, also after a failure. Returns the cleanup function, which waits for the pruning under way. */
export function pruneHourly(
  prune: () => Promise<DeletedRows>,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  const run = () => {
    underWay = prune().then(
      (deleted) => {
        if (Object.values(deleted).some((count) => count > 0)) log.info(deleted, 'expired rows were deleted');
      },
      (error: unknown) => {
        const { code } = error as { code?: unknown };
        log.warn({ reason: unavailableReason(error) ?? code }, 'expired rows were not deleted');
      },
    );
  };
  run();
  const timer = setInterval(run, HOUR_MS).unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
