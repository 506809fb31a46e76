import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, isDatabaseUnavailable, openDatabase } from '../../../server/database/database.ts';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../../server/demo/embeddedPostgres.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import {
  makeThrowawayFolder,
  postmasterPid,
  THROWAWAY_SETTINGS,
  type ThrowawayFolder,
} from '../../support/throwawayPostgres.ts';

/** Short, since tests wait for their end. */
const TIMEOUTS = { connectTimeoutMs: 500, queryTimeoutMs: 500 };
/** The limit of docs/decisions/0016-database-time-limits.md. */
const IN_TIME_MS = 3_000;
const ACCOUNT = { username: 'radio@uno.example', passwordHash: 'not-a-hash', company: 'Radio Uno' };

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describe('on a database that answers', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase(testDatabase.url, { maxConnections: 1 });
  });

  afterEach(async () => {
    await database.close();
    await testDatabase.drop();
  });

  test('Prisma reads back what it wrote', async () => {
    const { id } = await database.prisma.account.create({ data: ACCOUNT });
    expect(await database.prisma.account.findUnique({ where: { username: ACCOUNT.username } })).toMatchObject(
      {
        ...ACCOUNT,
        id,
      },
    );
    await database.ping();
  });

  test('warmed up, it has connections ready for the first requests', async () => {
    const warm = openDatabase(testDatabase.url);
    await warm.warmUp();
    const [row] = await warm.prisma.$queryRaw<{ connections: bigint }[]>`
      SELECT count(*) AS connections FROM pg_stat_activity WHERE datname = current_database()`;
    expect(row?.connections).toBe(4n);
    await warm.close();
  });

  test.each([
    ['a unique violation', () => database.prisma.account.createMany({ data: [ACCOUNT, ACCOUNT] })],
    ['a row that is not there', () => database.prisma.account.findUniqueOrThrow({ where: { id: 'x' } })],
    ['a wrong query', () => database.prisma.$queryRaw`SELEC 1`],
    ['a division by zero', () => database.prisma.$queryRaw`SELECT 1 / 0`],
  ])('%s does not count as unavailable', async (_, fail) => {
    expect(isDatabaseUnavailable(await failure(fail()))).toBe(false);
  });

  test('an error of Prisma shows nothing of our source code', async () => {
    const error = await failure(database.prisma.account.createMany({ data: [ACCOUNT, ACCOUNT] }));
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

  test('a query after close fails as unavailable, and closing again does no harm', async () => {
    await database.close();
    await database.close();
    expect(isDatabaseUnavailable(await failure(database.prisma.account.count()))).toBe(true);
  });
});

describe('on a database that breaks', () => {
  let throwaway: ThrowawayFolder;
  let postgres: EmbeddedPostgres;
  let database: Database;

  const attempts: Array<[name: string, attempt: () => Promise<unknown>]> = [
    ['a model query', () => database.prisma.account.count()],
    ['a raw query', () => database.prisma.$queryRaw`SELECT 1`],
    ['an interactive transaction', () => database.prisma.$transaction((tx) => tx.account.count())],
    ['a batch transaction', () => database.prisma.$transaction([database.prisma.account.count()])],
    ['a ping', () => database.ping()],
  ];

  beforeAll(async () => {
    throwaway = await makeThrowawayFolder();
    postgres = await openEmbeddedPostgres({ folder: throwaway.folder, settings: THROWAWAY_SETTINGS });
    await applyMigrations(postgres.url);
  });

  beforeEach(() => {
    database = openDatabase(postgres.url, { ...TIMEOUTS, maxConnections: attempts.length });
  });

  afterEach(async () => {
    await database.close();
  });

  afterAll(async () => {
    await postgres.close();
    await throwaway.remove();
  });

  test.each([
    ['a query', () => database.prisma.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`],
    [
      'a transaction',
      () =>
        database.prisma.$transaction(async (tx) => {
          await failure(tx.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`);
          await tx.account.count();
        }),
    ],
  ])(
    '%s that loses its connection half-way fails as unavailable, and the next one works',
    async (_, attempt) => {
      expect(isDatabaseUnavailable(await failure(attempt()))).toBe(true);
      expect(await database.prisma.account.count()).toBe(0);
    },
  );

  test('everything fails in time, as unavailable, while PostgreSQL is down, and works again once it is back', async () => {
    const onConnectionLost = vi.fn();
    const observed = openDatabase(postgres.url, { ...TIMEOUTS, onConnectionLost });
    await observed.ping();
    await database.ping();
    process.kill(await postmasterPid(postgres.folder), 'SIGKILL');
    await vi.waitFor(() => expect(onConnectionLost).toHaveBeenCalled());
    await expectUnavailable();

    const heir = await openEmbeddedPostgres({ folder: throwaway.folder });
    await expectAvailable();
    await observed.close();
    await postgres.close();
    postgres = heir;
  });

  test('refused sign-in, a missing database and an unknown host count as unavailable', async () => {
    const wrong: Array<Partial<URL>> = [
      { password: 'wrong' },
      { pathname: '/missing' },
      { hostname: 'host.invalid' },
    ];
    for (const part of wrong) {
      const elsewhere = openDatabase(Object.assign(new URL(postgres.url), part).href, TIMEOUTS);
      const error = await failure(elsewhere.prisma.account.count());
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(error.message).not.toContain(new URL(postgres.url).password);
      await elsewhere.close();
    }
  });

  async function expectUnavailable(): Promise<void> {
    const errors = await Promise.all(attempts.map(([, attempt]) => failureInTime(attempt())));
    expect(errors.map((error, index) => [attempts[index]?.[0], isDatabaseUnavailable(error)])).toEqual(
      attempts.map(([name]) => [name, true]),
    );
  }

  async function expectAvailable(): Promise<void> {
    for (const [, attempt] of attempts) await vi.waitFor(attempt, { timeout: 10_000 });
  }
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
