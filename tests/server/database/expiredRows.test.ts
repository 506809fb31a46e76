import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DeletedRows, deleteExpiredRows, pruneHourly } from '../../../server/database/expiredRows.ts';
import { createTokenLedger } from '../../../server/streamTokens/tokenLedger.ts';
import { ACCOUNT, startTestApp, type TestApp } from '../../support/testApp.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LEDGER_DAYS = 400;
const NOTHING = { sessions: 0, attempts: 0, tokenRecords: 0, auditLines: 0, deletedAccounts: 0 };
let app: TestApp;
let accountId: string;

beforeAll(async () => {
  app = await startTestApp();
  accountId = (await app.addAccount(ACCOUNT)).id;
});
afterAll(() => app.close());
afterEach(() => {
  vi.useRealTimers();
});

describe('rows that ran out', () => {
  test('are deleted, sessions and counts of attempts alike; what still counts stays', async () => {
    const now = new Date();
    const later = new Date(now.getTime() + 1);
    const [expired, lasting] = [randomUUID(), randomUUID()];
    await app.prisma.session.createMany({
      data: [
        { id: expired, accountId, expiresAt: now },
        { id: lasting, accountId, expiresAt: later },
      ],
    });
    await app.prisma.$executeRaw`
      INSERT INTO attempts SELECT n::text, 1, ${now} FROM generate_series(1, 12000) AS n`;
    await app.prisma.attemptCount.create({ data: { key: 'lasting', points: 7, expire: later } });

    expect(await deleteExpiredRows(app.prisma, { now, ledgerDays: LEDGER_DAYS })).toEqual({
      ...NOTHING,
      sessions: 1,
      attempts: 12_000,
    });

    expect(await app.prisma.session.findMany()).toMatchObject([{ id: lasting }]);
    expect(await app.prisma.attemptCount.findMany()).toMatchObject([{ points: 7 }]);
  });

  test('are deleted, records of tokens too once they are as old as the ledger goes, however many', async () => {
    const now = new Date();
    const oldest = new Date(now.getTime() - LEDGER_DAYS * DAY_MS);
    const ledger = createTokenLedger(app.prisma);
    const recordAt = (createdAt: Date) =>
      ledger.record({
        accountId,
        address: null,
        client: 'TOOL',
        keyName: null,
        createdAt,
        outcome: 'PROVIDER_UNAVAILABLE',
      });
    await recordAt(new Date(oldest.getTime() - 1));
    await app.prisma.$executeRaw`
      INSERT INTO token_records (id, account_id, created_at, outcome, client)
      SELECT overlay(gen_random_uuid()::text PLACING '01800000-0000-7' FROM 1)::uuid, account_id, created_at, outcome, client
      FROM token_records, generate_series(1, 12000)`;
    await recordAt(oldest);
    await recordAt(now);

    await deleteExpiredRows(app.prisma, { now, ledgerDays: LEDGER_DAYS });

    const kept = await app.prisma.tokenRecord.findMany({ orderBy: { id: 'asc' } });
    expect(kept).toMatchObject([{ createdAt: oldest }, { createdAt: now }]);
  });

  test('are deleted, audit lines and names of deleted accounts too once they are as old as the ledger goes', async () => {
    const now = new Date();
    const oldest = new Date(now.getTime() - LEDGER_DAYS * DAY_MS);
    const times = [new Date(oldest.getTime() - 1), oldest];
    const line = { operator: 'operadora', command: 'unlock' };
    await app.prisma.auditLine.createMany({ data: times.map((at) => ({ ...line, at })) });
    const names = { username: ACCOUNT.username, company: ACCOUNT.company };
    await app.prisma.deletedAccount.createMany({
      data: times.map((deletedAt) => ({ ...names, id: deletedAt.toISOString(), deletedAt })),
    });

    const deleted = await deleteExpiredRows(app.prisma, { now, ledgerDays: LEDGER_DAYS });

    expect(deleted).toMatchObject({ auditLines: 1, deletedAccounts: 1 });
    expect(await app.prisma.auditLine.findMany()).toMatchObject([{ at: oldest }]);
    expect(await app.prisma.deletedAccount.findMany()).toMatchObject([{ deletedAt: oldest }]);
  });

  test('a count that is being written to meanwhile is left for the next time, and not waited for', async () => {
    const now = new Date();
    const key = 'of an attempt';
    await app.prisma.attemptCount.create({ data: { key, points: 1, expire: now } });
    await app.prisma.$transaction(async (transaction) => {
      await transaction.attemptCount.update({ where: { key }, data: { points: 2 } });
      await deleteExpiredRows(app.prisma, { now, ledgerDays: LEDGER_DAYS });
    });
    expect(await app.prisma.attemptCount.count({ where: { key } })).toBe(1);
    await deleteExpiredRows(app.prisma, { now, ledgerDays: LEDGER_DAYS });
    expect(await app.prisma.attemptCount.count({ where: { key } })).toBe(0);
  });
});

describe('pruning', () => {
  test('happens at once and then every hour, until it is stopped', async () => {
    vi.useFakeTimers();
    const prune = vi.fn(async () => NOTHING);
    const info = vi.fn();
    const stop = pruneHourly(prune, { info, warn: vi.fn() });
    expect(prune).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2 * HOUR_MS);
    expect(prune).toHaveBeenCalledTimes(3);
    await stop();
    vi.advanceTimersByTime(2 * HOUR_MS);
    expect(prune).toHaveBeenCalledTimes(3);
    expect(info).not.toHaveBeenCalled();
  });

  test('logs in one line how much it deleted', async () => {
    const deleted = { ...NOTHING, tokenRecords: 3 };
    const info = vi.fn();
    await pruneHourly(async () => deleted, { info, warn: vi.fn() })();
    expect(info.mock.calls).toEqual([[deleted, 'expired rows were deleted']]);
  });

  test('that fails is logged by its code alone and tried again in an hour', async () => {
    vi.useFakeTimers();
    const failure = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' });
    const prune = vi.fn(async () => NOTHING).mockRejectedValueOnce(failure);
    const warn = vi.fn();
    const stop = pruneHourly(prune, { info: vi.fn(), warn });
    await expect.poll(() => warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith({ reason: 'ECONNREFUSED' }, expect.any(String));
    vi.advanceTimersByTime(HOUR_MS);
    expect(prune).toHaveBeenCalledTimes(2);
    await stop();
  });

  test('is waited for by who stops it, so that the database is not closed under it', async () => {
    let end = () => {};
    const pruning = new Promise<DeletedRows>((resolve) => {
      end = () => resolve(NOTHING);
    });
    const stop = pruneHourly(() => pruning, { info: vi.fn(), warn: vi.fn() });
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await Promise.resolve();
    expect(stopped).toBe(false);
    end();
    await stopping;
  });
});
