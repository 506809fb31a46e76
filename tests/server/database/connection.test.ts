import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compareClocks, readDatabaseTime } from '../../../server/database/clock.ts';
import { openConnection, requireSettings } from '../../../server/database/connection.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { applyMigrations } from '../../../server/database/migrations/migrations.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { throughDroppingProxy } from '../../support/droppingProxy.ts';
import { PATIENCE_MS } from '../../support/patientDatabase.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder, write } from '../../support/temporaryFolder.ts';
import { ACCOUNT, CREATE_TOKEN, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';
import { createTestDatabase, emptyTestDatabase } from '../../support/testDatabase.ts';
import { runAccountHere } from '../cli/runAccount.ts';

const ZONES = ['Europe/Madrid', 'America/Santiago'];
const HALF_AN_HOUR_MS = 30 * 60_000;

let now = new Date();

/** Starts an app on a database in `zone`; the clock of the process is `now`. */
async function startIn(zone: string): Promise<TestApp> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET TimeZone = '${zone}'`);
  const app = await startTestApp({ databaseUrl: url, clock: () => now });
  onTestFinished(app.close);
  return app;
}

test.each(ZONES)('a database in %s tells the time as UTC does', async (zone) => {
  const { prisma } = await startIn(zone);
  const { differenceMs } = await compareClocks(
    () => readDatabaseTime(prisma),
    () => new Date(),
  );
  expect(Math.abs(differenceMs)).toBeLessThan(HALF_AN_HOUR_MS);
});

// 12 hours before the clocks of the zone go forward, and in the hour that they leave out.
test.each([
  ['Europe/Madrid', '2027-03-27T14:30:00.000Z'],
  ['Europe/Madrid', '2027-03-28T02:30:00.000Z'],
  ['America/Santiago', '2027-09-04T12:30:00.000Z'],
  ['America/Santiago', '2027-09-05T00:30:00.000Z'],
])('a database in %s has the right times of a sign-in and a token at %s', async (zone, at) => {
  now = new Date(at);
  const app = await startIn(zone);
  await app.addAccount(ACCOUNT);
  const { jwt, cookie, id } = await app.signIn();
  const headers = { authorization: `Bearer ${jwt}` };
  for (const sent of [headers, { cookie }]) {
    expect((await app.graphql(SESSION, { headers: sent })).data).toMatchObject({ session: { id } });
  }
  await app.graphql(CREATE_TOKEN, { headers });
  const { data } = await app.graphql('{ tokens { nodes { createdAt expiry } } }', { headers });
  const expiry = new Date(now.getTime() + 20 * 60_000).toISOString();
  expect(data).toEqual({ tokens: { nodes: [{ createdAt: at, expiry }] } });
  const tokens = await runAccountHere(['tokens', '--csv=plain', '--from', at.slice(0, 10)], {
    url: app.databaseUrl,
  });
  expect(tokens.output).toContain(`\r\n${at},`);
});

test.each(ZONES)('a database in %s ends an account when it should', async (zone) => {
  now = new Date();
  const app = await startIn(zone);
  const { id } = await app.addAccount(ACCOUNT);
  const end = new Date(now.getTime() + HALF_AN_HOUR_MS).toISOString().replace(/\.\d+/, '');
  const extended = await runAccountHere(['extend', '--id', id, '--until', end], { url: app.databaseUrl });
  expect(extended.exitCode).toBe(0);
  expect((await app.login()).errors).toBeUndefined();
  now = new Date(now.getTime() + HALF_AN_HOUR_MS);
  expect((await app.login()).errors).toMatchObject([{ extensions: { code: 'INVALID_CREDENTIALS' } }]);
  const audit = await runAccountHere(['audit', '--json'], { url: app.databaseUrl });
  const [{ at }] = JSON.parse(audit.output);
  expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(HALF_AN_HOUR_MS);
});

let url: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  url = database.url;
  return database.drop;
});

async function settingsFault(change: string): Promise<string> {
  const connection = await openConnection(url, { timeoutMs: PATIENCE_MS });
  try {
    await connection.query(change);
    return await requireSettings(connection, 'DATABASE_URL').then(
      () => 'none',
      (error: Error) => error.message,
    );
  } finally {
    await connection.end();
  }
}

test.each([
  ['SELECT 1', 'none'],
  ["SET TimeZone = 'Europe/Madrid'", 'has TimeZone Europe/Madrid, and UTC is needed: a pooler in between'],
  ["SET DateStyle = 'SQL, DMY'", 'has DateStyle SQL, DMY, and ISO, MDY is needed'],
  ["SET default_transaction_isolation = 'serializable'", 'has default_transaction_isolation serializable'],
  ['SET standard_conforming_strings = off', 'has standard_conforming_strings off'],
  ["SET client_encoding = 'LATIN1'", 'has client_encoding LATIN1'],
  ['SET session_replication_role = replica', 'run ALTER ROLE … RESET session_replication_role'],
])('a connection after %s is told: %s', async (change, told) => {
  expect(await settingsFault(change)).toContain(told);
});

test('an attempt to connect to a silent host ends at once when it is aborted', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const stop = new AbortController();
  const address = `postgresql://audio@127.0.0.1:${port}/audio`;
  const connecting = openConnection(address, { timeoutMs: DAY_MS, signal: stop.signal });
  await once(silent, 'connection');
  stop.abort();
  await expect(connecting).rejects.toThrow();
});

test('a start refuses a database that is not in UTF-8', async () => {
  const latin = new URL(url);
  latin.pathname = `${latin.pathname}_latin`;
  const name = latin.pathname.slice(1);
  await query(url, `CREATE DATABASE ${name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0`);
  onTestFinished(() => query(url, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined));
  await expect(applyMigrations(latin.href)).rejects.toThrow(
    'The database of DATABASE_URL has server_encoding LATIN1, and UTF8 is needed: create a database with createdb --owner=ROLE --encoding=UTF8 --locale=C.UTF-8 --template=template0',
  );
});

async function emptyDatabaseWithSchema(): Promise<string> {
  const { url: empty, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  await query(
    empty,
    `CREATE SCHEMA audio; ALTER DATABASE ${new URL(empty).pathname.slice(1)} SET search_path = audio`,
  );
  return empty;
}

test('the tables are made in the schema public wherever search_path leads', async () => {
  const databaseUrl = await emptyDatabaseWithSchema();
  expect(await applyMigrations(databaseUrl)).not.toEqual([]);
  expect(await applyMigrations(databaseUrl)).toEqual([]);
  const app = await startTestApp({ databaseUrl });
  onTestFinished(app.close);
  await app.addAccount(ACCOUNT);
  const headers = await app.bearer();
  expect((await app.graphql(CREATE_TOKEN, { headers })).data?.createToken).toBeTruthy();
  expect((await runAccountHere(['list'], { url: databaseUrl })).exitCode).toBe(0);
});

test('a start says how to move tables that search_path put into another schema', async () => {
  const databaseUrl = await emptyDatabaseWithSchema();
  await applyMigrations(databaseUrl);
  await query(databaseUrl, 'DROP SCHEMA audio; ALTER SCHEMA public RENAME TO audio; CREATE SCHEMA public');
  // Earlier releases then failed to apply what was applied.
  await query(
    databaseUrl,
    `INSERT INTO audio._prisma_migrations (id, checksum, migration_name, logs)
     SELECT 'failed', checksum, migration_name, 'ERROR: relation "accounts" already exists'
     FROM audio._prisma_migrations ORDER BY migration_name LIMIT 1`,
  );
  await query(databaseUrl, 'CREATE TABLE public.products (id int)');

  const said = String(await applyMigrations(databaseUrl).catch(String));
  expect(said).toContain('are in the schema audio, and public is needed');
  const [, advice = ''] = /as its owner run (.*); and start again/.exec(said) ?? [];
  await query(databaseUrl, advice);
  expect(await applyMigrations(databaseUrl)).toEqual([]);
  expect(await query(databaseUrl, 'SELECT FROM public_before.products')).toEqual([]);
});

/** Makes an empty database with limits of time, as an administrator may set them for forgotten reports. */
async function databaseWithLimits(): Promise<string> {
  const { url: limited, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const alter = `ALTER DATABASE ${new URL(limited).pathname.slice(1)} SET`;
  for (const { name } of await query(limited, SHOW_LIMITS))
    await query(limited, `${alter} ${name} = '20min'`);
  return limited;
}

const NO_LIMITS = {
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  lock_timeout: '0',
  statement_timeout: '0',
  // PostgreSQL 17 and later.
  transaction_timeout: '0',
};
type Limit = { name: string; setting: string };
const SHOW_LIMITS = `SELECT name, current_setting(name) AS setting FROM pg_settings
  WHERE name = ANY ('{${Object.keys(NO_LIMITS)}}')`;

/** Counts a limit that the server does not have as none. */
function limitsIn(rows: Array<Record<string, unknown>>): Record<string, unknown> {
  const { transaction_timeout } = NO_LIMITS;
  return { transaction_timeout, ...Object.fromEntries(rows.map(({ name, setting }) => [name, setting])) };
}

test('the limits of time of a database do not apply to the service', async () => {
  const database = openDatabase(await databaseWithLimits());
  onTestFinished(database.close);
  expect(limitsIn(await database.prisma.$queryRawUnsafe(SHOW_LIMITS))).toEqual({
    ...NO_LIMITS,
    idle_in_transaction_session_timeout: '10s',
    statement_timeout: '1100ms',
  });
});

test('the limits of time of a database do not apply to a migration', async () => {
  const prismaFolder = temporaryFolder();
  write(prismaFolder, 'migrations/1_limits/migration.sql', `CREATE TABLE limits AS ${SHOW_LIMITS}`);
  const limited = await databaseWithLimits();
  await applyMigrations(limited, { prismaFolder });
  expect(limitsIn(await query(limited, 'SELECT * FROM limits'))).toEqual({
    ...NO_LIMITS,
    lock_timeout: '500ms',
    idle_in_transaction_session_timeout: '30s',
    idle_session_timeout: '30s',
  });
});

describe('through a proxy that drops start-up parameters', () => {
  test('the service sets its limits later', async () => {
    const onWarning = vi.fn();
    const proxied = await throughDroppingProxy(await databaseWithLimits());
    const database = openDatabase(proxied, { queryTimeoutMs: PATIENCE_MS, onWarning });
    onTestFinished(database.close);
    await database.warmUp();
    expect(database.connections().idle).toBeGreaterThan(1);
    const read = () => database.prisma.$queryRawUnsafe<Limit[]>(SHOW_LIMITS);
    for (const limits of await Promise.all(Array.from({ length: 10 }, read))) {
      expect(limitsIn(limits)).toMatchObject({ statement_timeout: '2min' });
    }
    expect(onWarning).not.toHaveBeenCalled();
  });

  test('a migration sets its limits later', async () => {
    const prismaFolder = temporaryFolder();
    write(prismaFolder, 'migrations/1_limits/migration.sql', `CREATE TABLE limits AS ${SHOW_LIMITS}`);
    const { url: direct, drop } = await emptyTestDatabase();
    onTestFinished(drop);
    await applyMigrations(await throughDroppingProxy(direct), { prismaFolder });
    expect(limitsIn(await query(direct, 'SELECT * FROM limits'))).toMatchObject({ lock_timeout: '500ms' });
  });
});
