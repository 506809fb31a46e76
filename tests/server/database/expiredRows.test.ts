import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { createPruner, deleteExpiredRows, type Pruning } from '../../../server/database/expiredRows.ts';
import { newRecordId } from '../../../server/database/recordId.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const LEDGER_DAYS = 400;
const NOTHING = { sessions: 0, attempts: 0, tokenRecords: 0, auditLines: 0, deletedAccounts: 0 };
const PRUNED: Pruning = { deleted: NOTHING, failures: [] };
const ACCOUNT = { username: 'radio@uno.example', company: 'Radio Uno' };
let prisma: Database['prisma'];
/** With the time limits of production, as the server deletes. */
let limited: Database;
let accountId: string;

beforeAll(async () => {
  const own = await createTestDatabase();
  const database = openPatientDatabase(own.url);
  prisma = database.prisma;
  limited = openDatabase(own.url);
  accountId = (await prisma.account.create({ data: { ...ACCOUNT, passwordHash: 'none' } })).id;
  return async () => {
    await Promise.all([database.close(), limited.close()]);
    await own.drop();
  };
});
afterEach(() => {
  vi.useRealTimers();
});

const prune = (now = new Date(), signal = new AbortController().signal) =>
  deleteExpiredRows(limited.prisma, { now, ledgerDays: LEDGER_DAYS, signal });

test('deleting expired rows keeps what lasts, and records as long as the ledger', async () => {
  const now = new Date();
  const ends = [now, new Date(now.getTime() + 1)];
  const oldest = new Date(now.getTime() - LEDGER_DAYS * DAY_MS);
  const times = [new Date(oldest.getTime() - 1), oldest];
  const record = { accountId, outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' } as const;
  const line = { operator: 'operadora', command: 'unlock' };
  const [sessions, attempts, tokenRecords, auditLines, deletedAccounts] = [
    ends.map((expiresAt) => ({ id: randomUUID(), accountId, expiresAt })),
    ends
      .map((end) => new Date(end.getTime() - MINUTE_MS))
      .map((expiresAt) => ({ key: expiresAt.toISOString(), failures: 7, expiresAt })),
    times.map((createdAt) => ({ ...record, id: newRecordId(createdAt), createdAt })),
    times.map((at) => ({ ...line, at })),
    times.map((deletedAt) => ({ ...ACCOUNT, id: deletedAt.toISOString(), deletedAt })),
  ];
  await prisma.session.createMany({ data: sessions });
  await prisma.attemptCount.createMany({ data: attempts });
  await prisma.tokenRecord.createMany({ data: tokenRecords });
  await prisma.auditLine.createMany({ data: auditLines });
  await prisma.deletedAccount.createMany({ data: deletedAccounts });
  await prisma.$executeRaw`
    INSERT INTO public.attempts SELECT n::text, 1, ${ends[0]}::timestamptz - interval '1 minute' FROM generate_series(2, 12000) AS n`;

  expect(await prune(now)).toEqual({
    deleted: { sessions: 1, attempts: 12_000, tokenRecords: 1, auditLines: 1, deletedAccounts: 1 },
    failures: [],
  });
  expect(await prisma.session.findMany()).toMatchObject([sessions[1]]);
  expect(await prisma.attemptCount.findMany()).toMatchObject([attempts[1]]);
  expect(await prisma.tokenRecord.findMany()).toMatchObject([tokenRecords[1]]);
  expect(await prisma.auditLine.findMany()).toMatchObject([auditLines[1]]);
  expect(await prisma.deletedAccount.findMany()).toMatchObject([deletedAccounts[1]]);
});

test('deleting expired rows does not wait for a count that is being written to', async () => {
  const now = new Date();
  const key = 'of an attempt';
  await prisma.attemptCount.create({ data: { key, failures: 1, expiresAt: new Date(0) } });
  await prisma.$transaction(async (transaction) => {
    await transaction.attemptCount.update({ where: { key }, data: { failures: 2 } });
    await prune(now);
  });
  expect(await prisma.attemptCount.count({ where: { key } })).toBe(1);
});

/** Ends each deletion of more attempts than `most` as PostgreSQL does at the time limit. */
async function limitDeletion(most: number) {
  await prisma.attemptCount.deleteMany();
  await prisma.$executeRawUnsafe(`CREATE FUNCTION limit_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM deleted) > ${most} THEN RAISE EXCEPTION USING ERRCODE = '57014'; END IF;
    RETURN NULL; END $$`);
  await prisma.$executeRaw`CREATE TRIGGER limit_deletion AFTER DELETE ON attempts
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION limit_deletion()`;
  onTestFinished(async () => {
    await prisma.$executeRaw`DROP FUNCTION limit_deletion CASCADE`;
    await prisma.attemptCount.deleteMany();
  });
  await prisma.$executeRaw`
    INSERT INTO public.attempts SELECT n::text, 1, now() - interval '1 hour' FROM generate_series(1, 120) AS n`;
}

test('smaller batches delete what is deleted slowly', async () => {
  await limitDeletion(60);
  const { deleted, failures } = await prune();
  expect([deleted.attempts, failures]).toEqual([120, []]);
});

test('other tables are pruned if even few rows take too long', async () => {
  await limitDeletion(0);
  const at = new Date(0);
  await prisma.auditLine.create({ data: { operator: 'operadora', command: 'unlock', at } });
  const { deleted, failures } = await prune();
  expect(deleted).toMatchObject({ attempts: 0, auditLines: 1 });
  expect(failures).toMatchObject([{ table: 'attempts' }]);
});

test('a stop ends pruning after the present batch', async () => {
  await prisma.auditLine.create({ data: { operator: 'operadora', command: 'unlock', at: new Date(0) } });
  const pruner = createPruner((signal) => prune(new Date(), signal), { info: vi.fn(), warn: vi.fn() });
  pruner.start();
  await pruner.stop();
  expect(await prune()).toMatchObject({ deleted: { auditLines: 1 } });
});

test('pruning happens every hour until it is stopped', async () => {
  vi.useFakeTimers();
  const deleted = { ...NOTHING, tokenRecords: 3 };
  const prune = vi.fn(async () => PRUNED).mockResolvedValueOnce({ ...PRUNED, deleted });
  const info = vi.fn();
  const pruner = createPruner(prune, { info, warn: vi.fn() });
  expect(prune).not.toHaveBeenCalled();
  pruner.start();
  expect(prune).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(prune).toHaveBeenCalledTimes(3);
  await pruner.stop();
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(prune).toHaveBeenCalledTimes(3);
  expect(info.mock.calls).toEqual([[deleted, 'expired rows were deleted']]);
});

test('pruning begins again only an hour after it has ended', async () => {
  vi.useFakeTimers();
  let end: (pruning: Pruning) => void = () => {};
  const prune = vi
    .fn(async () => PRUNED)
    .mockReturnValueOnce(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
  const pruner = createPruner(prune, { info: vi.fn(), warn: vi.fn() });
  pruner.start();
  await vi.advanceTimersByTimeAsync(6 * HOUR_MS);
  expect(prune).toHaveBeenCalledTimes(1);
  end(PRUNED);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(prune).toHaveBeenCalledTimes(2);
  await pruner.stop();
});

test('a run that the clocks forbid is no complete pruning', async () => {
  const onPruned = vi.fn();
  const pruner = createPruner(async () => null, { info: vi.fn(), warn: vi.fn() }, onPruned);
  pruner.start();
  await pruner.stop();
  expect(onPruned).not.toHaveBeenCalled();
});

test('pruning that fails is tried again in an hour', async () => {
  vi.useFakeTimers();
  const failure = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' });
  const prune = vi.fn(async () => PRUNED).mockRejectedValueOnce(failure);
  const warn = vi.fn();
  const onPruned = vi.fn();
  const pruner = createPruner(prune, { info: vi.fn(), warn }, onPruned);
  pruner.start();
  await expect.poll(() => warn).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith({ reason: 'ECONNREFUSED' }, expect.any(String));
  expect(onPruned).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(prune).toHaveBeenCalledTimes(2);
  await pruner.stop();
  expect(onPruned).toHaveBeenCalledTimes(1);
});

test('a table that cannot be pruned is told, and makes the pruning incomplete', async () => {
  const failures: Pruning['failures'] = [{ table: 'attempts', error: { code: 'ECONNRESET' } }];
  const [warn, onPruned] = [vi.fn(), vi.fn()];
  const pruner = createPruner(async () => ({ ...PRUNED, failures }), { info: vi.fn(), warn }, onPruned);
  pruner.start();
  await pruner.stop();
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { table: 'attempts', reason: 'ECONNRESET' },
    expect.any(String),
  );
  expect(onPruned).not.toHaveBeenCalled();
});
