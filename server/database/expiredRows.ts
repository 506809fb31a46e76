import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { CLOCK_TOLERANCE_MS, compareClocks, readDatabaseTime } from './clock.ts';
import { failureInWords, unavailableReason } from './databaseErrors.ts';
import { firstIdAt } from './recordId.ts';

type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>;

const ROWS_AT_ONCE = 5_000;
const SHRINK_FACTOR = 10;
const FEWEST_ROWS_AT_ONCE = 5;
/** PostgreSQL reports a deletion as timed out before it unlocks the rows; locked rows would be skipped. */
const UNLOCKED_AFTER_MS = 1_000;
const TIME_OUTS = ['57014', 'Query read timeout'];

type DeletedRows = {
  sessions: number;
  attempts: number;
  tokenRecords: number;
  auditLines: number;
  deletedAccounts: number;
};

export type Pruning = { deleted: DeletedRows; failures: Array<{ table: keyof DeletedRows; error: unknown }> };

type Pruner = {
  start(): void;
  stop(): Promise<void>;
};

/**
 * Deletes what has expired: sessions and attempts by their end, the rest `ledgerDays` after it was written. Returns null,
 * and deletes nothing, while this machine's clock differs from the database's: one of the two is wrong.
 */
export async function prune(
  prisma: PrismaClient,
  {
    ledgerDays,
    clock,
    log,
    signal,
  }: { ledgerDays: number; clock: () => Date; log: Log; signal: AbortSignal },
): Promise<Pruning | null> {
  const { processTime, databaseTime, warning } = await compareClocks(() => readDatabaseTime(prisma), clock);
  if (warning !== null) {
    log.warn({ processTime, databaseTime }, `${warning}; no expired rows are deleted until then`);
    return null;
  }
  return deleteExpiredRows(prisma, { now: clock(), ledgerDays, signal });
}

export async function deleteExpiredRows(
  prisma: PrismaClient,
  { now, ledgerDays, signal }: { now: Date; ledgerDays: number; signal?: AbortSignal },
): Promise<Pruning> {
  // Raw SQL for SKIP LOCKED: waiting for a row that is being written to could end in a deadlock.
  const deleteUnlocked = (table: Prisma.Sql, id: Prisma.Sql, condition: Prisma.Sql) => (most: number) =>
    prisma.$executeRaw`
    DELETE FROM public.${table} WHERE ${id} IN (
      SELECT ${id} FROM public.${table} WHERE ${condition} LIMIT ${most} FOR UPDATE SKIP LOCKED
    )`;
  const endedBy = (end: Date) => Prisma.sql`expires_at <= ${end}::timestamptz`;
  let recordEnd: Promise<Date> | undefined;
  const recordedBefore = () => {
    recordEnd ??= endOfDeletableRecords(prisma, new Date(now.getTime() - ledgerDays * DAY_MS));
    return recordEnd;
  };
  const batches: Record<keyof DeletedRows, (most: number) => Promise<number>> = {
    sessions: deleteUnlocked(Prisma.sql`sessions`, Prisma.sql`id`, endedBy(now)),
    // They end by the database's clock, which may be behind this machine's.
    attempts: deleteUnlocked(
      Prisma.sql`attempts`,
      Prisma.sql`key`,
      endedBy(new Date(now.getTime() - CLOCK_TOLERANCE_MS)),
    ),
    tokenRecords: async (most) => {
      const isOld = Prisma.sql`id < ${firstIdAt(await recordedBefore())}::uuid`;
      return deleteUnlocked(Prisma.sql`token_records`, Prisma.sql`id`, isOld)(most);
    },
    async auditLines(limit) {
      const where = { at: { lt: await recordedBefore() } };
      return (await prisma.auditLine.deleteMany({ where, limit })).count;
    },
    // An account has no line in the ledger after its deletion, so its name can go with its last line.
    async deletedAccounts(limit) {
      const where = { deletedAt: { lt: await recordedBefore() } };
      return (await prisma.deletedAccount.deleteMany({ where, limit })).count;
    },
  };
  const deleted = { sessions: 0, attempts: 0, tokenRecords: 0, auditLines: 0, deletedAccounts: 0 };
  const failures: Pruning['failures'] = [];
  for (const table of Object.keys(deleted) as Array<keyof DeletedRows>) {
    try {
      await inBatches(batches[table], signal, (count) => {
        deleted[table] += count;
      });
    } catch (error) {
      failures.push({ table, error });
    }
  }
  return { deleted, failures };
}

/**
 * Prunes from `start` on: at once, and an hour after each run has ended, also after a failure.
 * @param runOnce - returns null when it deleted nothing because the clocks differ
 * @param onPruned - called when every table was pruned
 */
export function createPruner(
  runOnce: (signal: AbortSignal) => Promise<Pruning | null>,
  log: Log,
  onPruned: () => void = () => {},
): Pruner {
  const stopping = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const warn = (error: unknown, table?: string) => {
    const reason = failureInWords(error);
    log.warn({ ...(table && { table }), reason }, 'expired rows were not deleted');
  };
  const logPruning = ({ deleted, failures }: Pruning) => {
    if (Object.values(deleted).some((count) => count > 0)) log.info(deleted, 'expired rows were deleted');
    for (const { table, error } of failures) warn(error, table);
    if (failures.length === 0) onPruned();
  };
  const run = async () => {
    try {
      const pruning = await runOnce(stopping.signal);
      if (pruning !== null) logPruning(pruning);
    } catch (error) {
      warn(error);
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, HOUR_MS).unref();
  };
  const start = () => {
    underWay = run();
  };
  return {
    start,
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await underWay;
    },
  };
}

/** `wanted`, but less than a day after the oldest of these rows (docs/decisions/0034-pruning.md). */
async function endOfDeletableRecords(prisma: PrismaClient, wanted: Date): Promise<Date> {
  const [record, line, account] = await Promise.all([
    prisma.tokenRecord.findFirst({ orderBy: { id: 'asc' }, select: { createdAt: true } }),
    prisma.auditLine.findFirst({ orderBy: { at: 'asc' }, select: { at: true } }),
    prisma.deletedAccount.findFirst({ orderBy: { deletedAt: 'asc' }, select: { deletedAt: true } }),
  ]);
  const times = [record?.createdAt, line?.at, account?.deletedAt].flatMap((at) => at?.getTime() ?? []);
  return new Date(Math.min(wanted.getTime(), Math.min(...times) + DAY_MS));
}

async function inBatches(
  deleteSome: (most: number) => Promise<number>,
  signal: AbortSignal | undefined,
  onDeleted: (count: number) => void,
): Promise<void> {
  let most = ROWS_AT_ONCE;
  let count = most;
  while (count >= most && !signal?.aborted) {
    try {
      count = await deleteSome(most);
      onDeleted(count);
    } catch (error) {
      if (!TIME_OUTS.includes(unavailableReason(error) ?? '') || most <= FEWEST_ROWS_AT_ONCE) throw error;
      count = most;
      most /= SHRINK_FACTOR;
      await delay(UNLOCKED_AFTER_MS);
    }
  }
}
