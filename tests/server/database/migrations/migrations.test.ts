import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../../server/config/folders.ts';
import { applyMigrations } from '../../../../server/database/migrations/migrations.ts';
import { query as queryAt } from '../../../support/query.ts';
import { temporaryFolder, write } from '../../../support/temporaryFolder.ts';
import { emptyTestDatabase, type TestDatabase } from '../../../support/testDatabase.ts';

const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma', 'migrations');

let database: TestDatabase;
let prismaFolder: string;

beforeEach(async () => {
  database = await emptyTestDatabase();
  prismaFolder = temporaryFolder();
  await cp(path.join(PROJECT_ROOT, 'prisma'), prismaFolder, { recursive: true });
  return database.drop;
});

test('applying the migrations records each as prisma migrate deploy does', async () => {
  expect(await applyMigrations(database.url)).toEqual(await projectMigrations());

  for (const { migration_name: name, ...row } of await query('SELECT * FROM _prisma_migrations')) {
    const script = await readFile(path.join(MIGRATIONS, name, 'migration.sql'));
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      checksum: createHash('sha256').update(script).digest('hex'),
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      rolled_back_at: null,
      logs: null,
      applied_steps_count: 1,
    });
  }
});

test('four instances that start at the same time apply the migrations once', async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url)));

  expect(applied.flat()).toEqual(await projectMigrations());
  expect(await query('SELECT migration_name FROM _prisma_migrations')).toHaveLength(applied.flat().length);
});

test('a database that falls silent once it is connected is told apart', async () => {
  // PostgreSQL's messages AuthenticationOk and ReadyForQuery.
  const connected = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
  const silent = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.resume().write(connected));
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const applying = applyMigrations(`postgresql://audio@127.0.0.1:${port}/audio`, { queryTimeoutMs: 100 });
  await expect(applying).rejects.toThrow(/^There is no answer from the host and port in DATABASE_URL/);
});

describe('a migration that fails', () => {
  const name = '29990101000000_broken';

  beforeEach(() => {
    addMigration(name, 'CREATE TABLE half_done (id int); ALTER TABLE accounts ADD COLUMN id int;');
  });

  test('stops later starts until its remedy was run', async () => {
    const failed = new RegExp(
      `Migration ${name} failed: ERROR: .*accounts.*\\. Once the cause is fixed, run`,
    );
    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(failed);
    expect(await query(`SELECT to_regclass('half_done') AS half, to_regclass('accounts') AS before`)).toEqual(
      [{ half: null, before: 'accounts' }],
    );

    addMigration(name, 'CREATE TABLE corrected (id int);');
    const said = String(await applyMigrations(database.url, { prismaFolder }).catch(String));
    expect(said).toMatch(failed);
    const [, cure = ''] = /run in the database: (.*)$/.exec(said) ?? [];
    await query(cure);
    expect(await applyMigrations(database.url, { prismaFolder })).toEqual([name]);
  });

  test('does not stop a release that does not know it', async () => {
    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(name);
    expect(await applyMigrations(database.url)).toEqual([]);
  });
});

test('a limit of the database on statements ends no migration', async () => {
  const name = '29990101000000_slow';
  addMigration(name, 'SELECT pg_sleep(0.3)');
  const { pathname } = new URL(database.url);
  await query(`ALTER DATABASE ${pathname.slice(1)} SET statement_timeout = '200ms'`);
  expect(await applyMigrations(database.url, { prismaFolder })).toContain(name);
});

test.for([
  ['has what it makes', 'If it has, run there: ', []],
  ['lacks what it makes', 'if not: ', ['20261122100000_key_networks']],
] as const)(
  "a migration that Prisma's commands left without an outcome is settled by advice where the database %s",
  async ([, advised, applied]) => {
    await applyMigrations(database.url);
    const name = '20261122100000_key_networks';
    if (applied.length > 0) await query('ALTER TABLE account_keys DROP COLUMN networks');
    await query(
      `UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0 WHERE migration_name = '${name}'`,
    );

    const said = String(await applyMigrations(database.url).catch(String));
    expect(said).toContain(`Migration ${name} was begun by another program, which recorded no outcome.`);
    const [advice = ''] = said.slice(said.indexOf(advised) + advised.length).split(';');
    await query(advice);
    expect(await applyMigrations(database.url)).toEqual(applied);
  },
);

describe('a database with another history', () => {
  beforeEach(async () => {
    await applyMigrations(database.url);
  });

  test('is refused when a migration was changed after it was applied', async () => {
    const [name = ''] = await projectMigrations();
    addMigration(name, 'CREATE TABLE something_else (id int);');

    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(
      `Changed after the database applied them: ${name}.`,
    );
  });

  test('is accepted with a warning when it is only newer than the code', async () => {
    addMigration('29990101000000_newer', 'CREATE TABLE newer (id int);');
    await applyMigrations(database.url, { prismaFolder });
    const onWarning = vi.fn();

    expect(await applyMigrations(database.url, { onWarning })).toEqual([]);
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(
      'The database is newer than this code, which does not know 29990101000000_newer',
    );
  });

  test('is refused when it has the tables of another program', async () => {
    const other = await emptyTestDatabase();
    await queryAt(other.url, 'CREATE TABLE products (id int)');
    await expect(applyMigrations(other.url)).rejects.toThrow(
      'it has tables of another program, such as products. ',
    );
    expect(await queryAt(other.url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
      { tablename: 'products' },
    ]);
    await other.drop();
  });

  test('is refused when it has other migrations', async () => {
    await query(`UPDATE _prisma_migrations SET migration_name = '20200101000000_of_another_app'`);
    const history = await query('SELECT * FROM _prisma_migrations');

    await expect(applyMigrations(database.url)).rejects.toThrow('The database has another history');
    expect(await query('SELECT * FROM _prisma_migrations')).toEqual(history);
  });
});

async function projectMigrations(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

function addMigration(name: string, sql: string): void {
  write(prismaFolder, path.join('migrations', name, 'migration.sql'), sql);
}

function query(sql: string) {
  return queryAt(database.url, sql);
}
