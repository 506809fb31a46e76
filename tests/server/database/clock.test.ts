import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { compareClocks } from '../../../server/database/clock.ts';
import { newRecordId } from '../../../server/database/recordId.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

test('a start with a wrong clock deletes nothing valid', async () => {
  const { url, drop } = await createTestDatabase();
  const { prisma, close: closeDatabase } = openPatientDatabase(url);
  onTestFinished(() => closeDatabase().then(drop));
  const now = new Date();
  const session = (afterMs: number) => ({ id: randomUUID(), expiresAt: new Date(now.getTime() + afterMs) });
  const { id } = await prisma.account.create({
    data: {
      username: 'radio@uno.example',
      passwordHash: 'none',
      company: 'Radio Uno',
      sessions: { create: [session(HOUR_MS), session(-HOUR_MS)] },
    },
  });
  const record = { accountId: id, createdAt: now, outcome: 'PROVIDER_UNAVAILABLE', client: 'TOOL' } as const;
  await prisma.tokenRecord.create({ data: { id: newRecordId(now), ...record } });

  const clock = () => new Date(Date.now() + 401 * DAY_MS);
  const { failure, logLines, close } = await startServerHere(url, { clock });
  await expect.poll(() => logLines.join('')).toContain('rows were deleted');
  await close();

  expect(failure).toBeNull();
  expect([await prisma.session.count(), await prisma.tokenRecord.count()]).toEqual([1, 1]);
  expect(logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: "the clock of this machine is 401 days ahead of the database's: set both by a time server",
      processTime: expect.stringMatching(/^\d{4}-.*Z$/),
      databaseTime: expect.stringMatching(/^\d{4}-.*Z$/),
    }),
  );
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
