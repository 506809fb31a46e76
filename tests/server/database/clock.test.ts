import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { compareClocks } from '../../../server/database/clock.ts';
import { newRecordId } from '../../../server/database/recordId.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { setDatabaseClockAhead } from '../../support/databaseClock.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

/** Fills a database of its own with ledger lines of today and in two days, and sessions that ended an hour ago, end soon, in a month. */
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
  const record = { accountId: id, outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' } as const;
  const times = [now, new Date(now.getTime() + 2 * DAY_MS)];
  await prisma.tokenRecord.createMany({
    data: times.map((createdAt) => ({ id: newRecordId(createdAt), createdAt, ...record })),
  });
  return {
    url,
    rowsLeft: async () => ({
      sessions: await prisma.session.count(),
      records: await prisma.tokenRecord.count(),
    }),
  };
}

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
  expect(await rowsLeft()).toEqual({ sessions: 3, records: 2 });
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
  expect(await rowsLeft()).toEqual({ sessions: 3, records: 2 });
});

test('a start on a machine that woke up two years ahead, its database too, deletes a day of the ledger', async () => {
  const { url, rowsLeft } = await filledDatabase();
  await startUntil('rows were deleted', url);
  expect(await rowsLeft()).toEqual({ sessions: 2, records: 2 });
  await setDatabaseClockAhead(url, 730 * DAY_MS);
  await startUntil('rows were deleted', url, ahead(730 * DAY_MS));
  expect(await rowsLeft()).toEqual({ sessions: 0, records: 1 });
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
