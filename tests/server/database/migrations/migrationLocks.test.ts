import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { beforeEach, expect, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../../server/config/folders.ts';
import { MIGRATION_LIMITS } from '../../../../server/database/connection.ts';
import { LOCK_TIMES } from '../../../../server/database/migrations/migrationLocks.ts';
import { applyMigrations } from '../../../../server/database/migrations/migrations.ts';
import { query as queryAt } from '../../../support/query.ts';
import { startTcpProxy } from '../../../support/tcpProxy.ts';
import { temporaryFolder, write } from '../../../support/temporaryFolder.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/testDatabase.ts';
import { waitingForLock } from '../../../support/waitingForLock.ts';

const NAME = '29990101000000_wider';
const TRYING = { ...LOCK_TIMES, lockMs: 50, pauseMs: 50, warnEveryMs: 100 };

let database: TestDatabase;
let prismaFolder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  prismaFolder = await folderWith('ALTER TABLE accounts ADD COLUMN wider int');
  return () => database.drop();
});

async function folderWith(script: string): Promise<string> {
  const folder = temporaryFolder();
  await cp(path.join(PROJECT_ROOT, 'prisma'), folder, { recursive: true });
  write(folder, path.join('migrations', NAME, 'migration.sql'), script);
  return folder;
}

const query = (sql: string) => queryAt(database.url, sql);

async function startReport() {
  const report = new pg.Client({ connectionString: database.url, application_name: 'a report' });
  report.on('error', () => {});
  await report.connect();
  await report.query("BEGIN; SELECT 'canario-de-consulta' FROM accounts");
  return report;
}

async function aTryWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'accounts'::regclass`;
  await expect.poll(() => query(waiting)).not.toEqual([]);
}

const history = () => query(`SELECT migration_name FROM _prisma_migrations WHERE migration_name = '${NAME}'`);

test('accounts are read while a migration tries for their lock', async () => {
  const report = await startReport();
  const migrating = applyMigrations(database.url, { prismaFolder, lockTimes: TRYING });
  for (let tries = 0; tries < 2; tries += 1) {
    await aTryWaits();
    expect(await query('SELECT FROM accounts')).toEqual([]);
  }
  await report.end();
  expect(await migrating).toEqual([NAME]);
});

test('an instance warns while it waits for a lock', async () => {
  const report = await startReport();
  const onWarning = vi.fn<(message: string) => void>();
  const migrating = applyMigrations(database.url, { prismaFolder, onWarning, lockTimes: TRYING });
  await expect.poll(() => onWarning.mock.calls.length).toBeGreaterThan(1);
  await report.end();
  expect(await migrating).toEqual([NAME]);
  expect(onWarning.mock.calls[0]?.[0]).toMatch(
    new RegExp(
      `^Migration ${NAME}: waits for a lock \\(.+\\)\\. docs/operations\\.md has a query that shows who holds it$`,
    ),
  );
});

test('the query of the manual shows who holds the lock', async () => {
  const manual = await readFile(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
  const [, holders = ''] = /```sql\n(SELECT pid, .*?)```/s.exec(manual) ?? [];
  const report = await startReport();
  const migrating = applyMigrations(database.url, { prismaFolder, lockTimes: TRYING });
  await expect
    .poll(() => query(holders))
    .toMatchObject([{ application_name: 'a report', state: 'idle in transaction' }]);
  await report.end();
  expect(await migrating).toEqual([NAME]);
});

test('an instance warns while another one applies migrations', async () => {
  const report = await startReport();
  const first = applyMigrations(database.url, { prismaFolder, lockTimes: TRYING });
  await aTryWaits();
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const second = applyMigrations(database.url, { prismaFolder, lockTimes: TRYING, onWarning });
  await expect
    .poll(() => warnings)
    .toContainEqual(expect.stringMatching(/^Applying migrations: waits for a lock/));
  await report.end();
  expect(await Promise.all([first, second])).toEqual([[NAME], []]);
});

test('a migration without a lock ends after its time, unrecorded, and the next start applies it', async () => {
  const report = await startReport();
  const lockTimes = { ...TRYING, patienceMs: 600 };
  await expect(applyMigrations(database.url, { prismaFolder, lockTimes })).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      `^Migration ${NAME}: got no lock in 0.6 s \\(.+\\)\\. Nothing was changed`,
    ),
  });
  expect(await history()).toEqual([]);
  await report.end();
  expect(await applyMigrations(database.url, { prismaFolder })).toEqual([NAME]);
});

test.for([
  ['a lock that was not had', '55P03'],
  ['a deadlock', '40P01'],
  ['a cancelled statement', '57014'],
])('%s is tried again', async ([, code]) => {
  // A sequence keeps its number when a transaction is rolled back.
  await query('CREATE SEQUENCE tries');
  const trouble = `DO $$ BEGIN
    IF nextval('tries') < 3 THEN RAISE EXCEPTION 'in vain' USING ERRCODE = '${code}'; END IF;
  END $$`;
  const options = { prismaFolder: await folderWith(trouble), lockTimes: TRYING };
  expect(await applyMigrations(database.url, options)).toEqual([NAME]);
  expect(await query('SELECT last_value FROM tries')).toEqual([{ last_value: '3' }]);
  expect(await history()).toHaveLength(1);
});

test('PostgreSQL frees what a migration holds whose network is cut', async (context) => {
  const direct = new URL(database.url);
  const proxy = await startTcpProxy(Number(direct.port));
  context.onTestFinished(proxy.close);
  const folder = await folderWith('LOCK TABLE accounts; SELECT pg_advisory_lock(1)');
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(1)');
  const limits = { ...MIGRATION_LIMITS, idle_in_transaction_session_timeout: '200ms' };
  const url = Object.assign(new URL(direct), { port: proxy.port }).href;
  const migrating = applyMigrations(url, {
    prismaFolder: folder,
    limits,
    queryTimeoutMs: 5_000,
    lockTimes: { ...TRYING, lockMs: 120_000 },
  });
  const gone = expect(migrating).rejects.toThrow();
  await waitingForLock(database.url, 1);
  proxy.set('silent');
  await holder.end();
  expect(await query('SELECT FROM accounts')).toEqual([]);
  proxy.close();
  await gone;
  expect(await history()).toEqual([]);
});

test('PostgreSQL ends a migration at work whose client is gone', async (context) => {
  const direct = new URL(database.url);
  const proxy = await startTcpProxy(Number(direct.port));
  context.onTestFinished(proxy.close);
  const migrating = applyMigrations(Object.assign(new URL(direct), { port: proxy.port }).href, {
    prismaFolder: await folderWith('LOCK TABLE accounts; SELECT pg_sleep(1000)'),
    limits: { ...MIGRATION_LIMITS, client_connection_check_interval: '100ms' },
  });
  const gone = expect(migrating).rejects.toThrow();
  const sleeping =
    "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
  await expect.poll(() => query(sleeping)).toHaveLength(1);
  proxy.cut();
  await gone;
  expect(await query('SELECT FROM accounts')).toEqual([]);
});

test('a stop between two tries ends the start', async () => {
  const report = await startReport();
  const shutdown = new AbortController();
  const lockTimes = { ...LOCK_TIMES, pauseMs: 1_000_000 };
  const migrating = applyMigrations(database.url, { prismaFolder, lockTimes, signal: shutdown.signal });
  await aTryWaits();
  shutdown.abort('stopped');
  await expect(migrating).rejects.toBe('stopped');
  await report.end();
  expect(await history()).toEqual([]);
});
