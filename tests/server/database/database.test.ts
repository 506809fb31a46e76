import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { isDatabaseUnavailable } from '../../../server/database/unavailable.ts';
import { query } from '../../support/query.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

/** The limit of docs/decisions/0016-database-time-limits.md. */
const IN_TIME_MS = 3_000;
const ACCOUNT = { username: 'radio@uno.example', passwordHash: 'not-a-hash', company: 'Radio Uno' };

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const onConnectionLost = vi.fn();
let testDatabase: TestDatabase;
let database: Database;

beforeEach(async () => {
  onConnectionLost.mockReset();
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { maxConnections: 1, onConnectionLost });
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

test('warmed up, it has connections ready for the first requests', async () => {
  const warm = openDatabase(testDatabase.url);
  await warm.warmUp();
  expect(warm.connections()).toMatchObject({ total: 4, idle: 4 });
  await warm.close();
});

test.each([
  ['a unique violation', () => database.prisma.account.createMany({ data: [ACCOUNT, ACCOUNT] })],
  ['a row that is not there', () => database.prisma.account.findUniqueOrThrow({ where: { id: 'x' } })],
  ['a wrong query', () => database.prisma.$queryRaw`SELEC 1`],
])('%s does not count as unavailable, and shows nothing of our source code', async (_, fail) => {
  const error = await failure(fail());
  expect(isDatabaseUnavailable(error)).toBe(false);
  expect(error.message).not.toContain('ACCOUNT');
});

test('a query that takes too long fails in time, as unavailable', async () => {
  const error = await failureInTime(database.prisma.$queryRaw`SELECT 1 FROM pg_sleep(20)`);
  expect(error.message).toContain('statement timeout');
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test('queries that get no connection from the pool fail in time, as unavailable', async () => {
  const errors = await database.prisma.$transaction(async (tx) => {
    await tx.account.count();
    return Promise.all([
      failureInTime(database.prisma.account.count()),
      failureInTime(database.prisma.$transaction((other) => other.account.count())),
    ]);
  });
  expect(errors.map(isDatabaseUnavailable)).toEqual([true, true]);
});

test('a connection that is lost half-way fails its query as unavailable, one that lay idle is told of, and the next query works', async () => {
  const lost = database.prisma.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
  expect(isDatabaseUnavailable(await failure(lost))).toBe(true);
  expect(await database.prisma.account.count()).toBe(0);
  await query(
    testDatabase.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await vi.waitFor(() => expect(onConnectionLost).toHaveBeenCalledWith(expect.any(pg.DatabaseError)));
  expect(await database.prisma.account.count()).toBe(0);
});

test.each<[string, Partial<URL>]>([
  ['a wrong password', { password: 'wrong-secret' }],
  ['a missing database', { pathname: '/missing' }],
  ['an unknown host', { hostname: 'host.invalid' }],
])('%s counts as unavailable', async (_, part) => {
  const url = Object.assign(new URL(testDatabase.url), part);
  const elsewhere = openDatabase(url.href);
  const error = await failure(elsewhere.prisma.account.count());
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(error.message).not.toContain(url.password);
  await elsewhere.close();
});

test('a query after close fails as unavailable, and closing again does no harm', async () => {
  await database.close();
  await database.close();
  expect(isDatabaseUnavailable(await failure(database.prisma.account.count()))).toBe(true);
});

async function failureInTime(attempt: Promise<unknown>): Promise<Error> {
  const before = performance.now();
  const error = await failure(attempt);
  expect(performance.now() - before).toBeLessThan(IN_TIME_MS);
  return error;
}

async function failure(attempt: Promise<unknown>): Promise<Error> {
  const outcome = await attempt.then(
    () => new Error('It did not fail'),
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw outcome;
  return outcome;
}
