import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { compareClocks, databaseTime } from '../../../server/database/clock.ts';
import { newRecordId } from '../../../server/database/recordId.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const clockOff = (ms: number) => () => new Date(Date.now() + ms);

async function openTestDatabase() {
  const { url, drop } = await createTestDatabase();
  const { prisma, close } = openPatientDatabase(url);
  onTestFinished(() => close().then(drop));
  return { url, prisma };
}

test('a start with the clock 401 days ahead warns of it, ends no session and keeps the ledger, and logs what it deletes', async () => {
  const { url, prisma } = await openTestDatabase();
  const now = new Date();
  const session = (expiresAt: Date) => ({ id: randomUUID(), expiresAt });
  const { id } = await prisma.account.create({
    data: {
      username: 'radio@uno.example',
      passwordHash: 'none',
      company: 'Radio Uno',
      sessions: {
        create: [session(new Date(now.getTime() + HOUR_MS)), session(new Date(now.getTime() - HOUR_MS))],
      },
    },
  });
  const record = { accountId: id, createdAt: now, outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' } as const;
  await prisma.tokenRecord.create({ data: { id: newRecordId(now), ...record } });

  const { failure, logLines, close } = await startServerHere(url, { clock: clockOff(401 * DAY_MS) });
  await expect.poll(() => logLines.join('')).toContain('rows were deleted');
  await close();

  expect(failure).toBeNull();
  expect([await prisma.session.count(), await prisma.tokenRecord.count()]).toEqual([1, 1]);
  const lines = logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => !msg.startsWith('Server listening'));
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: "the clock of this machine is 401 days ahead of the database's: set both by a time server",
      processTime: expect.stringMatching(/^\d{4}-.*Z$/),
      databaseTime: expect.stringMatching(/^\d{4}-.*Z$/),
    }),
    expect.objectContaining({
      level: 'info',
      msg: 'expired rows were deleted',
      sessions: 1,
      attempts: 0,
      tokenRecords: 0,
    }),
  ]);
});

test('a difference is told in words once it is more than a minute', async () => {
  const { prisma } = await openTestDatabase();
  const differences = [0, 59_000, -59_000, 90_000, -5 * MINUTE_MS, 26 * HOUR_MS, -3 * DAY_MS];
  const told = differences.map(
    async (ms) => (await compareClocks(() => databaseTime(prisma), clockOff(ms))).warning ?? 'nothing',
  );
  expect(await Promise.all(told)).toEqual([
    'nothing',
    'nothing',
    'nothing',
    expect.stringMatching(/ is (89|90) seconds ahead of the database's: /),
    expect.stringContaining(" is 5 minutes behind the database's: "),
    expect.stringContaining(" is 26 hours ahead of the database's: "),
    expect.stringContaining(" is 3 days behind the database's: "),
  ]);
});
