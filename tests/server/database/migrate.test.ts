import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { query as queryAt } from '../../support/query.ts';
import { createTestDatabase, emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const MIGRATIONS = path.join(PROJECT_ROOT, 'prisma', 'migrations');

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let database: TestDatabase;
let prismaFolder: string;

beforeEach(async () => {
  database = await emptyTestDatabase();
  prismaFolder = await mkdtemp(path.join(tmpdir(), 'prisma-folder-'));
  await cp(path.join(PROJECT_ROOT, 'prisma'), prismaFolder, { recursive: true });
});

afterEach(async () => {
  await database.drop();
  await rm(prismaFolder, { recursive: true });
});

describe('applying the migrations', () => {
  test('brings an empty database to the newest one and says which it applied, in order', async () => {
    expect(await applyMigrations(database.url)).toEqual(await projectMigrations());
    expect(
      await query(`SELECT to_regclass('accounts') AS accounts, to_regclass('sessions') AS sessions`),
    ).toEqual([{ accounts: 'accounts', sessions: 'sessions' }]);
  });

  test('records each as prisma migrate deploy does', async () => {
    await applyMigrations(database.url);

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

  test('changes nothing the second time, without even loading the engine', async () => {
    const migrated = await createTestDatabase();
    vi.doMock('../../../server/database/schemaEngine.ts', () => {
      throw new Error('The engine was loaded');
    });
    try {
      expect(await applyMigrations(migrated.url)).toEqual([]);
      await expect(applyMigrations(database.url)).rejects.toThrow();
    } finally {
      vi.doUnmock('../../../server/database/schemaEngine.ts');
      await migrated.drop();
    }
  });

  test('is done once when four instances start at the same time', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url)));

    expect(applied.flat()).toEqual(await projectMigrations());
    expect(await query('SELECT migration_name FROM _prisma_migrations')).toHaveLength(applied.flat().length);
  });

  test('waits for an instance that is in the middle of one, and does not take it for a failure', async () => {
    const name = '29990101000000_slow';
    await addMigration(name, 'SELECT pg_sleep(0.5);');
    const first = applyMigrations(database.url, { prismaFolder });
    await vi.waitFor(
      async () =>
        expect(await query(`SELECT FROM _prisma_migrations WHERE migration_name = '${name}'`)).toHaveLength(
          1,
        ),
      { timeout: 10_000 },
    );

    expect(await applyMigrations(database.url, { prismaFolder })).toEqual([]);
    expect(await first).toContain(name);
  });

  test('applies only what an older database lacks', async () => {
    await applyMigrations(database.url);
    await addMigration('29990101000000_notes', 'CREATE TABLE notes (id int);');

    expect(await applyMigrations(database.url, { prismaFolder })).toEqual(['29990101000000_notes']);
  });

  test('leaves semicolons in strings and function bodies alone', async () => {
    await addMigration(
      '29990101000000_function',
      `CREATE FUNCTION greeting() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'hola;'; END; $$;`,
    );
    await applyMigrations(database.url, { prismaFolder });

    expect(await query('SELECT greeting()')).toEqual([{ greeting: 'hola;' }]);
  });
});

describe('a migration that fails', () => {
  const name = '29990101000000_broken';

  beforeEach(async () => {
    await addMigration(name, 'CREATE TABLE half_done (id int); ALTER TABLE accounts ADD COLUMN id int;');
  });

  test('is named with what the database said, and leaves nothing half done', async () => {
    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(
      `Migration ${name} failed: ERROR: column "id" of relation "accounts" already exists.`,
    );
    expect(await query(`SELECT to_regclass('half_done') AS half, to_regclass('accounts') AS before`)).toEqual(
      [{ half: null, before: 'accounts' }],
    );
  });

  test('keeps later starts from going on, until what it tells to run was run', async () => {
    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(name);
    await addMigration(name, 'CREATE TABLE mended (id int);');
    const said = await applyMigrations(database.url, { prismaFolder }).catch(String);
    expect(said).toContain(
      `Migration ${name} failed: ERROR: column "id" of relation "accounts" already exists.`,
    );

    const [, cure = ''] = /run in the database: (.*)$/.exec(String(said)) ?? [];
    await query(cure);
    expect(await applyMigrations(database.url, { prismaFolder })).toEqual([name]);
  });

  test('does not keep another instance waiting', async () => {
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => applyMigrations(database.url, { prismaFolder })),
    );

    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        reason: { name: 'MigrationError', message: expect.stringContaining(name) },
      });
    }
  });
});

describe('a database with another history', () => {
  beforeEach(async () => {
    await applyMigrations(database.url);
  });

  test('is refused when a migration was changed after it was applied', async () => {
    const [name = ''] = await projectMigrations();
    await addMigration(name, 'CREATE TABLE something_else (id int);');

    await expect(applyMigrations(database.url, { prismaFolder })).rejects.toThrow(
      `Changed after the database applied them: ${name}.`,
    );
  });

  test('is accepted with a warning when it is only newer than the code', async () => {
    await addMigration('29990101000000_newer', 'CREATE TABLE newer (id int);');
    await applyMigrations(database.url, { prismaFolder });
    const onWarning = vi.fn();

    expect(await applyMigrations(database.url, { onWarning })).toEqual([]);
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(
      'The database is newer than this code, which does not know 29990101000000_newer',
    );
  });

  test('is refused, and left as it is, when it has others and lacks ours', async () => {
    await query(`UPDATE _prisma_migrations SET migration_name = '20200101000000_of_another_app'`);
    const history = await query('SELECT * FROM _prisma_migrations');

    await expect(applyMigrations(database.url)).rejects.toThrow('The database has another history');
    expect(await query('SELECT * FROM _prisma_migrations')).toEqual(history);
  });
});

test('a database that cannot be reached is an error that tells no password', async () => {
  const url = new URL(database.url);
  url.password = 'wrong-secret';

  const error = await applyMigrations(url.href).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: '28P01' });
  expect(String(error)).not.toContain('wrong-secret');
});

test('an address that cannot even be tried is an error at once', async () => {
  const url = 'postgresql://audio@127.0.0.1/audio?port=99999';
  await expect(applyMigrations(url)).rejects.toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' });
});

async function projectMigrations(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function addMigration(name: string, sql: string): Promise<void> {
  const folder = path.join(prismaFolder, 'migrations', name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'migration.sql'), sql);
}

function query(sql: string) {
  return queryAt(database.url, sql);
}
