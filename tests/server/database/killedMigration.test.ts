import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { startAccountProcess } from '../cli/accountProgram.ts';

/** Makes a type, a table and, at its end, a column of `token_records`. */
const KEYS = '20261122013000_keys';
const STEP_LOCK_KEY = 1;
/** The lock of Prisma's commands, which release 1.2.0 takes too. */
const PRISMA_LOCK_KEY = 72_707_369;

/** Holds the next migration between its script and its record, while the connection lasts. */
const HOLD = `
  CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock_shared(${STEP_LOCK_KEY}); RETURN NEW; END';
  CREATE TRIGGER wait_for_the_test BEFORE INSERT ON _prisma_migrations EXECUTE FUNCTION wait_for_the_test();
  SELECT pg_advisory_lock(${STEP_LOCK_KEY})`;

beforeAll(buildUnlessFresh);

async function migrateUpToKeys(url: string): Promise<void> {
  const prismaFolder = temporaryFolder();
  await cp(path.join(PROJECT_ROOT, 'prisma'), prismaFolder, { recursive: true });
  const migrations = path.join(prismaFolder, 'migrations');
  const later = (await readdir(migrations)).filter((name) => /^\d/.test(name) && name >= KEYS);
  await Promise.all(later.map((name) => rm(path.join(migrations, name), { recursive: true })));
  await applyMigrations(url, { prismaFolder });
}

/** Makes the next migration wait before its record, until the returned function is called. */
async function holdMigration(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(HOLD);
  return () => client.end();
}

async function somebodyWaitsFor(lockKey: number, url: string): Promise<void> {
  const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND locktype = 'advisory' AND objid = ${lockKey} AND datname = current_database()`;
  await vi.waitFor(async () => expect(await query(url, waiting)).toHaveLength(1), { timeout: 120_000 });
}

async function expectMigrated(url: string): Promise<void> {
  const history = `SELECT finished_at IS NOT NULL AS finished, applied_steps_count AS steps, rolled_back_at, logs
    FROM _prisma_migrations WHERE migration_name = '${KEYS}'`;
  expect(await query(url, history)).toEqual([{ finished: true, steps: 1, rolled_back_at: null, logs: null }]);
  expect(await query(url, `SELECT to_regclass('account_keys') AS keys`)).toEqual([{ keys: 'account_keys' }]);
}

test('after kill -9 in a migration the next npm run migrate goes on by itself', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  await migrateUpToKeys(url);
  const letGo = await holdMigration(url);
  const env = { DATABASE_URL: url };
  const killed = startAccountProcess([], env, 'migrate');
  await somebodyWaitsFor(STEP_LOCK_KEY, url);
  killed.child.kill('SIGKILL');
  expect((await killed.outcome).exitCode).toBe(null);

  // PostgreSQL goes on with what the killed process asked for, so the next one has to wait.
  const next = startAccountProcess([], env, 'migrate');
  await somebodyWaitsFor(PRISMA_LOCK_KEY, url);
  await letGo();
  const { exitCode, output } = await next.outcome;
  expect(output).toContain(`Applied ${KEYS}\n`);
  expect(exitCode).toBe(0);
  await expectMigrated(url);
  expect(await startAccountProcess(['list', '--json'], env).outcome).toMatchObject({ output: '[]\n' });
});
