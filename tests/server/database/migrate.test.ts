import { createHash } from 'node:crypto';
import { cp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { query as queryAt } from '../../support/query.ts';
import { temporaryFolder, write } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma', 'migrations');

let database: TestDatabase;
let prismaFolder: string;

beforeEach(async () => {
  database = await emptyTestDatabase();
  prismaFolder = temporaryFolder();
  await cp(path.join(PROJECT_ROOT, 'prisma'), prismaFolder, { recursive: true });
});

afterEach(() => database.drop());

describe('applying the migrations', () => {
  test('records each as prisma migrate deploy does', async () => {
    expect(await applyMigrations(database.url)).toEqual(await projectMigrations());

    const rows = await query('SELECT * FROM _prisma_migrations ORDER BY started_at');
    expect(rows).toEqual(
      await Promise.all(
        (await projectMigrations()).map(async (name) => ({
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          checksum: createHash('sha256')
            .update(await readFile(path.join(MIGRATIONS, name, 'migration.sql')))
            .digest('hex'),
          migration_name: name,
          started_at: expect.any(Date),
          finished_at: expect.any(Date),
          rolled_back_at: null,
          logs: null,
          applied_steps_count: 1,
        })),
      ),
    );
  });

  test('is done once when four instances start at the same time', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url)));

    expect(applied.flat()).toEqual(await projectMigrations());
    expect(await query('SELECT migration_name FROM _prisma_migrations')).toHaveLength(applied.flat().length);
  });

  test('keeps semicolons in function bodies', async () => {
    addMigration(
      '29990101000000_function',
      `CREATE FUNCTION greeting() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'hola;'; END; $$;`,
    );
    await applyMigrations(database.url, { prismaFolder });
    expect(await query('SELECT greeting()')).toEqual([{ greeting: 'hola;' }]);
  });
});

describe('a migration that fails', () => {
  const name = '29990101000000_broken';

  beforeEach(() => {
    addMigration(name, 'CREATE TABLE half_done (id int); ALTER TABLE accounts ADD COLUMN id int;');
  });

  test('stops later starts until its remedy was run', async () => {
    const failed = `Migration ${name} failed: ERROR: column "id" of relation "accounts" already exists.`;
    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(failed);
    expect(await query(`SELECT to_regclass('half_done') AS half, to_regclass('accounts') AS before`)).toEqual(
      [{ half: null, before: 'accounts' }],
    );

    addMigration(name, 'CREATE TABLE corrected (id int);');
    const said = String(await applyMigrations(database.url, { prismaFolder }).catch(String));
    expect(said).toContain(failed);
    const [, cure = ''] = /run in the database: (.*)$/.exec(said) ?? [];
    await query(cure);
    expect(await applyMigrations(database.url, { prismaFolder })).toEqual([name]);
  });

  test.for(['failed', 'failed and was rolled back'])(
    'that %s does not stop a release that does not know it',
    async (how) => {
      await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(name);
      if (how !== 'failed')
        await query('UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL');

      expect(await applyMigrations(database.url)).toEqual([]);
    },
  );
});

describe('an interrupted migration', () => {
  test('is recorded as applied where what it makes is there', async () => {
    await applyMigrations(database.url);
    const last = '20261122100000_key_networks';
    await query(
      `UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0 WHERE migration_name = '${last}'`,
    );
    const onWarning = vi.fn();

    expect(await applyMigrations(database.url, { onWarning })).toEqual([]);
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(
      `Migration ${last} was interrupted: it had been applied, and is recorded as such now`,
    );
    expect(await finished(last)).toBe(1);
  });

  test('is run again where nothing of it is there', async () => {
    await applyMigrations(database.url);
    const name = '29990101000000_interrupted';
    const script = 'CREATE TABLE late (id int);';
    addMigration(name, script);
    const checksum = createHash('sha256').update(script).digest('hex');
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (gen_random_uuid(), '${checksum}', '${name}')`,
    );

    expect(await applyMigrations(database.url, { prismaFolder })).toEqual([name]);
    expect(await query(`SELECT to_regclass('late') AS late`)).toEqual([{ late: 'late' }]);
    expect(await finished(name)).toBe(1);
  });

  async function finished(name: string): Promise<number> {
    const rows = await query(
      `SELECT FROM _prisma_migrations WHERE migration_name = '${name}' AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
    );
    return rows.length;
  }
});

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

  test('is refused when it has the tables of something else', async () => {
    const other = await emptyTestDatabase();
    await queryAt(other.url, 'CREATE TABLE products (id int)');
    await expect(applyMigrations(other.url)).rejects.toThrow(
      'it has tables of something else, such as products. ',
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
