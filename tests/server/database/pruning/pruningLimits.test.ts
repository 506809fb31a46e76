import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../../server/database/database.ts';
import { movePruningLimits } from '../../../../server/database/pruning/pruningLimits.ts';
import { DAY_MS } from '../../../../shared/durations.ts';
import { openPatientDatabase } from '../../../support/patientDatabase.ts';
import { createTestDatabase } from '../../../support/testDatabase.ts';

const START_MS = Date.UTC(2026, 10, 24);
const day = (days: number) => new Date(START_MS + days * DAY_MS);

let prisma: Database['prisma'];

beforeAll(async () => {
  const { url, drop } = await createTestDatabase();
  const database = openPatientDatabase(url);
  prisma = database.prisma;
  return () => database.close().then(drop);
});
beforeEach(async () => {
  await prisma.pruningLimits.deleteMany();
});

/** Moves both limits towards the given days; returns how far expired rows, and records, may be deleted. */
async function move(expired: number, recorded: number) {
  const wanted = { expiredBefore: day(expired), recordedBefore: day(recorded) };
  const { expiredBefore, recordedBefore } = await movePruningLimits(prisma, wanted);
  return [expiredBefore, recordedBefore].map((limit) => (limit.getTime() - START_MS) / DAY_MS);
}

test('the first run sets the limits', async () => {
  expect(await move(0, -400)).toEqual([0, -400]);
});

test('two first runs at once set the limits', async () => {
  const runs = Array.from({ length: 8 }, () => move(0, -400));
  expect(new Set((await Promise.all(runs)).map(String))).toEqual(new Set(['0,-400']));
});

test('a clock that jumped ahead moves the limits by a day in each run', async () => {
  await move(0, -400);
  expect(await move(730, 330)).toEqual([1, -399]);
  expect(await move(730, 330)).toEqual([2, -398]);
});

test('a lower TOKEN_LEDGER_DAYS takes effect a day in each run', async () => {
  await move(0, -400);
  expect(await move(0, -30)).toEqual([0, -399]);
});

test('a higher TOKEN_LEDGER_DAYS takes effect at once', async () => {
  await move(0, -30);
  expect(await move(0, -400)).toEqual([0, -400]);
});

test('once the clock is right again no row is deleted early', async () => {
  await move(0, -400);
  for (let run = 0; run < 5; run += 1) await move(730, 330);
  expect(await move(0.5, -399.5)).toEqual([0.5, -399.5]);
});

test('a first run by a clock that was ahead is undone by a day in each run', async () => {
  await move(3, -397);
  await move(0, -400);
  await move(0, -400);
  expect(await move(730, 330)).toEqual([2, -398]);
});

test('a clock that was behind for a moment delays nothing', async () => {
  await move(0, -400);
  expect(await move(-2000, -2400)).toEqual([-2000, -2400]);
  expect(await move(0, -400)).toEqual([0, -400]);
});
