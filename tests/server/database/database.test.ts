import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../server/database/database.ts';
import { isDatabaseUnavailable, unavailableReason } from '../../../server/database/databaseErrors.ts';
import { RightsMissing } from '../../../server/database/rights.ts';
import { openPatientDatabase, PATIENCE_MS } from '../../support/patientDatabase.ts';
import { query } from '../../support/query.ts';
import { startTcpProxy } from '../../support/tcpProxy.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

/** Together below the three seconds of docs/decisions/0016-database-time-limits.md. */
const CONNECT_LIMIT_MS = 2_000;
const ANSWER_LIMIT_MS = 1_300;

const END_SLEEPER = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`;

const onConnectionLost = vi.fn();
let testDatabase: TestDatabase;
let database: Database;

beforeEach(async () => {
  onConnectionLost.mockReset();
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { maxConnections: 1, onConnectionLost });
});
afterEach(async () => {
  vi.useRealTimers();
  await database.close();
  await testDatabase.drop();
});

test('a database that is warmed up has four connections ready', async () => {
  const warm = openPatientDatabase(testDatabase.url);
  await warm.warmUp();
  expect(warm.connections()).toMatchObject({ total: 4, idle: 4 });
  await warm.close();
});

test('a connection cut during the warm-up does not end the process', async () => {
  const proxy = await startTcpProxy(Number(new URL(testDatabase.url).port));
  onTestFinished(proxy.close);
  const url = Object.assign(new URL(testDatabase.url), { port: proxy.port }).href;
  const pooled = openDatabase(url, {
    maxConnections: 1,
    connectTimeoutMs: PATIENCE_MS,
    queryTimeoutMs: PATIENCE_MS,
  });
  onTestFinished(pooled.close);
  const onUncaught = vi.fn();
  process.once('uncaughtException', onUncaught);
  onTestFinished(() => void process.off('uncaughtException', onUncaught));
  await pooled.ping();
  proxy.set('silent');
  const warmedUp = pooled.warmUp();
  await expect.poll(() => pooled.connections().idle).toBe(0);
  proxy.set('pass');
  proxy.cut();
  await warmedUp;
  expect(onUncaught).not.toHaveBeenCalled();
  await expect(pooled.ping()).resolves.toBeUndefined();
});

test('a flood of pings takes one connection', async () => {
  const pings = Array.from({ length: 50 }, () => database.ping());
  expect(database.connections()).toMatchObject({ total: 1, waiting: 0 });
  await Promise.all(pings);
  await expect(database.ping()).resolves.toBeUndefined();
});

test('a ping succeeds as soon as a read-only database is writable again', async () => {
  const setReadOnly = (change: string) =>
    query(
      Object.assign(new URL(testDatabase.url), { pathname: '/postgres' }).href,
      `ALTER DATABASE ${new URL(testDatabase.url).pathname.slice(1)} ${change}`,
    );
  await setReadOnly('SET default_transaction_read_only = on');
  const pooled = openPatientDatabase(testDatabase.url);
  onTestFinished(pooled.close);
  await expect(pooled.warmUp()).rejects.toThrow('is read-only because default_transaction_read_only is on');
  await expect(pooled.ping()).rejects.toThrow(RightsMissing);
  await setReadOnly('RESET default_transaction_read_only');
  await expect(pooled.ping()).resolves.toBeUndefined();
});

test('PostgreSQL ends a query that takes too long', async () => {
  stopTime();
  const error = await failure(database.prisma.$queryRaw`SELECT 1 FROM pg_sleep(120)`);
  expect(error.message).toContain('57014');
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test('a query without an answer fails after 1.3 s', async () => {
  await database.prisma.$executeRaw`SET statement_timeout = 0`;
  const error = await failureAfter(ANSWER_LIMIT_MS, database.prisma.$queryRaw`SELECT 1 FROM pg_sleep(120)`);
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test('queries that get no connection from the pool fail after 2 s', async () => {
  const { prisma } = database;
  for (const ask of [() => prisma.account.count(), () => prisma.$transaction((tx) => tx.account.count())]) {
    const error = await prisma.$transaction(async (tx) => {
      await tx.account.count();
      return failureAfter(CONNECT_LIMIT_MS, ask());
    });
    expect(isDatabaseUnavailable(error)).toBe(true);
  }
});

test('connecting to a silent server fails after 2 s', async () => {
  const proxy = await startTcpProxy(Number(new URL(testDatabase.url).port));
  onTestFinished(proxy.close);
  proxy.set('silent');
  const silent = openDatabase(Object.assign(new URL(testDatabase.url), { port: proxy.port }).href);
  expect(isDatabaseUnavailable(await failureAfter(CONNECT_LIMIT_MS, silent.prisma.account.count()))).toBe(
    true,
  );
  await silent.close();
});

test('a missing socket of PostgreSQL makes every query fail as unavailable', async () => {
  const down = openDatabase(`postgresql:///test?host=${encodeURIComponent(temporaryFolder())}`);
  onTestFinished(down.close);
  const { prisma } = down;
  for (const ask of [
    () => prisma.account.count(),
    () => prisma.$queryRaw`SELECT 1`,
    () => prisma.$transaction((transaction) => transaction.account.count()),
    () => prisma.$transaction([prisma.account.count()]),
    down.ping,
  ]) {
    expect(unavailableReason(await failure(ask()))).toBe('ENOENT');
  }
});

test('a server that refuses our TLS makes every query fail as unavailable', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('S');
      // Without a certificate it can agree on no cipher.
      new TLSSocket(socket, { isServer: true }).on('error', () => {}).resume();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = openDatabase(`postgresql://audio@127.0.0.1:${port}/audio?sslmode=no-verify`);
  onTestFinished(() => refused.close().then(() => void server.close()));
  for (const ask of [() => refused.prisma.account.count(), refused.ping]) {
    expect(unavailableReason(await failure(ask()))).toMatch(/^(EPROTO$|ERR_SSL_)/);
  }
});

test('a missing certificate does not count as a missing socket', async () => {
  const { prisma, close } = openDatabase(`${testDatabase.url}?sslmode=verify-full&sslrootcert=/missing.pem`);
  onTestFinished(close);
  const error = await failure(prisma.account.count());
  expect([error.message, isDatabaseUnavailable(error)]).toEqual([expect.stringContaining('ENOENT'), false]);
});

test('a certificate that is missing when a connection is replaced does not end the process', async () => {
  const file = path.join(temporaryFolder(), 'root.pem');
  writeFileSync(file, '');
  const { prisma, ping, close } = openDatabase(`${testDatabase.url}?sslmode=disable&sslrootcert=${file}`, {
    maxConnections: 1,
    connectTimeoutMs: PATIENCE_MS,
    queryTimeoutMs: PATIENCE_MS,
  });
  onTestFinished(close);
  await ping();
  const [ended, waiting] = [
    failure(prisma.$queryRaw`SELECT pg_sleep(600)::text`),
    failure(prisma.account.count()),
  ];
  rmSync(file);
  await vi.waitUntil(async () => (await query(testDatabase.url, END_SLEEPER)).length > 0, {
    timeout: PATIENCE_MS,
  });
  await ended;
  expect((await waiting).message).toContain('ENOENT');
});

test('a connection whose transaction got no answer is not used again', async () => {
  const proxy = await startTcpProxy(Number(new URL(testDatabase.url).port));
  onTestFinished(proxy.close);
  const url = Object.assign(new URL(testDatabase.url), { port: proxy.port }).href;
  const silent = openDatabase(url, { maxConnections: 1, queryTimeoutMs: 500 });
  onTestFinished(silent.close);
  const begun = silent.prisma.$transaction(async (transaction) => {
    await transaction.account.count();
    proxy.set('silent');
    await transaction.account.count();
  });
  expect(isDatabaseUnavailable(await failure(begun))).toBe(true);
  expect(silent.connections().total).toBe(0);
});

test('a lost connection is replaced', async () => {
  const lost = database.prisma.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
  expect(isDatabaseUnavailable(await failure(lost))).toBe(true);
  expect(await database.prisma.account.count()).toBe(0);
  await query(
    testDatabase.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await expect.poll(() => onConnectionLost).toHaveBeenCalledWith(expect.any(pg.DatabaseError));
  expect(await database.prisma.account.count()).toBe(0);
});

test('a query after close fails as unavailable', async () => {
  await database.close();
  expect(isDatabaseUnavailable(await failure(database.prisma.account.count()))).toBe(true);
});

/** Stops this process's timers alone. */
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

/** Returns the error of an attempt that fails by a time limit of this length, and not before. */
async function failureAfter(limitMs: number, attempt: Promise<unknown>): Promise<Error> {
  stopTime();
  const { setTimeout } = globalThis;
  const begun = new Promise<void>((resolve) => {
    const watched = (work: () => void, ms?: number) => {
      if (ms === limitMs) resolve();
      return setTimeout(work, ms);
    };
    globalThis.setTimeout = Object.assign(watched, setTimeout);
  });
  const failed = vi.fn();
  const error = failure(attempt).finally(failed);
  await begun;
  globalThis.setTimeout = setTimeout;
  vi.advanceTimersByTime(limitMs - 1);
  await nextTurn();
  expect(failed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await error;
  vi.useRealTimers();
  return error;
}

async function failure(attempt: PromiseLike<unknown>): Promise<Error> {
  const outcome = await attempt.then(
    () => new Error('It did not fail'),
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw outcome;
  return outcome;
}
