import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { compareClocks } from '../../../server/database/clock.ts';
import { newRecordId } from '../../../server/database/recordId.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { setDatabaseClockAhead } from '../../support/databaseClock.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

/** Fills a database of its own with a ledger line of today, and a session that ended an hour ago, ends soon, in a month. */
async function filledDatabase() {
  const { url, drop } = await createTestDatabase();
  const { prisma, close } = openPatientDatabase(url);
  onTestFinished(() => close().then(drop));
  const now = new Date();
  const session = (afterMs: number) => ({ id: randomUUID(), expiresAt: new Date(now.getTime() + afterMs) });
  const sessions = { create: [session(-HOUR_MS), session(HOUR_MS), session(30 * DAY_MS)] };
  const { id } = await prisma.account.create({
    data: { username: 'radio@uno.example', passwordHash: 'none', company: 'Radio Uno', sessions },
  });
  const record = { accountId: id, createdAt: now, outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' } as const;
  await prisma.tokenRecord.create({ data: { id: newRecordId(now), ...record } });
  return {
    url,
    rowsLeft: async () => ({
      sessions: await prisma.session.count(),
      records: await prisma.tokenRecord.count(),
    }),
  };
}

/** Starts a server until `said` is in its log. */
async function startUntil(said: string, url: string, clock = () => new Date()) {
  const { failure, logLines, close } = await startServerHere(url, { clock });
  await expect.poll(() => logLines.join('')).toContain(said);
  await close();
  expect(failure).toBeNull();
  return logLines.map((line) => JSON.parse(line));
}

const ahead = (ms: number) => () => new Date(Date.now() + ms);

test('a start with a wrong clock deletes nothing', async () => {
  const { url, rowsLeft } = await filledDatabase();
  const logged = await startUntil('days ahead', url, ahead(401 * DAY_MS));
  expect(await rowsLeft()).toEqual({ sessions: 3, records: 1 });
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: expect.stringContaining("the clock of this machine is 401 days ahead of the database's"),
      processTime: expect.stringMatching(/^\d{4}-.*Z$/),
      databaseTime: expect.stringMatching(/^\d{4}-.*Z$/),
    }),
  );
});

test('a start beside a database whose clock is two years ahead deletes nothing', async () => {
  const { url, rowsLeft } = await filledDatabase();
  await setDatabaseClockAhead(url, 730 * DAY_MS);
  await startUntil('730 days behind', url);
  expect(await rowsLeft()).toEqual({ sessions: 3, records: 1 });
});

test('a start on a machine that woke up two years ahead, its database too, deletes a day’s rows', async () => {
  const { url, rowsLeft } = await filledDatabase();
  await startUntil('rows were deleted', url);
  expect(await rowsLeft()).toEqual({ sessions: 2, records: 1 });
  await setDatabaseClockAhead(url, 730 * DAY_MS);
  await startUntil('rows were deleted', url, ahead(730 * DAY_MS));
  expect(await rowsLeft()).toEqual({ sessions: 1, records: 1 });
});

test.each([
  [-59_000, null],
  [90_000, 'is 90 seconds ahead of'],
  [-2 * MINUTE_MS, 'is 2 minutes behind'],
  [-3 * DAY_MS, 'is 3 days behind'],
])('a difference of %d ms is told as %j', async (differenceMs, said) => {
  const now = Date.UTC(2026, 10, 20);
  const { warning } = await compareClocks(
    async () => new Date(now),
    () => new Date(now + differenceMs),
  );
  expect(warning).toEqual(said && expect.stringContaining(said));
});
