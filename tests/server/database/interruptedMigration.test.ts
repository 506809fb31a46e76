import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { applyMigrations, MIGRATION_LOCK_KEY } from '../../../server/database/migrate.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { runAccountProcess, startAccountProcess } from '../cli/accountProgram.ts';

/** Makes a type, a table and, at its end, a column of `token_records`. */
const KEYS = '20261122013000_keys';
const STEP_LOCK_KEY = 1;

/** The moments of a migration that a test can hold, by statements on a connection of its own. */
const MOMENTS = {
  'in the middle of a migration': 'BEGIN; LOCK TABLE token_records IN ACCESS EXCLUSIVE MODE',
  'between a migration and its record': `
    CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(${STEP_LOCK_KEY}); RETURN NEW; END';
    CREATE TRIGGER wait_for_the_test BEFORE UPDATE ON _prisma_migrations EXECUTE FUNCTION wait_for_the_test();
    SELECT pg_advisory_lock(${STEP_LOCK_KEY})`,
};
const MOMENT_NAMES = Object.keys(MOMENTS) as Array<keyof typeof MOMENTS>;

beforeAll(buildUnlessFresh);

async function migrateUpToKeys(url: string): Promise<void> {
  const prismaFolder = temporaryFolder();
  await cp(path.join(PROJECT_ROOT, 'prisma'), prismaFolder, { recursive: true });
  const migrations = path.join(prismaFolder, 'migrations');
  const later = (await readdir(migrations)).filter((name) => /^\d/.test(name) && name >= KEYS);
  await Promise.all(later.map((name) => rm(path.join(migrations, name), { recursive: true })));
  await applyMigrations(url, { prismaFolder });
}

/** Makes the next migration wait at a moment, until the returned `letGo` is called. */
async function holdAt(moment: keyof typeof MOMENTS, url: string) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(MOMENTS[moment]);
  return {
    /** Resolves once a connection waits for a lock, besides those that wait for the turn to migrate. */
    reached: () =>
      vi.waitFor(
        async () => {
          const { rowCount } = await client.query(
            `SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND (locktype <> 'advisory' OR objid = ${STEP_LOCK_KEY})`,
          );
          expect(rowCount).toBe(1);
        },
        { timeout: 120_000 },
      ),
    letGo: () => client.end(),
  };
}

async function waitsForItsTurn(url: string): Promise<void> {
  const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = ${MIGRATION_LOCK_KEY}`;
  await vi.waitFor(async () => expect(await query(url, waiting)).toHaveLength(1), { timeout: 120_000 });
}

async function expectMigrated(url: string): Promise<void> {
  const history = `SELECT finished_at IS NOT NULL AS finished, applied_steps_count AS steps, rolled_back_at, logs
    FROM _prisma_migrations WHERE migration_name = '${KEYS}'`;
  expect(await query(url, history)).toEqual([{ finished: true, steps: 1, rolled_back_at: null, logs: null }]);
  expect(await query(url, `SELECT to_regclass('account_keys') AS keys`)).toEqual([{ keys: 'account_keys' }]);
}

test.for(MOMENT_NAMES)('after a kill %s the next npm run migrate goes on by itself', async (moment) => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  await migrateUpToKeys(url);
  const { reached, letGo } = await holdAt(moment, url);
  const env = { DATABASE_URL: url };
  const killed = startAccountProcess([], env, { program: 'migrate' });
  await reached();
  killed.child.kill('SIGKILL');
  expect((await killed.outcome).exitCode).toBe(null);

  // PostgreSQL goes on with what the killed process asked for, so the next one has to wait.
  const next = startAccountProcess([], env, { program: 'migrate' });
  await waitsForItsTurn(url);
  await letGo();
  const { exitCode, output } = await next.outcome;
  expect(output).toContain(`Applied ${KEYS}\n`);
  expect(exitCode).toBe(0);
  await expectMigrated(url);
  expect(await runAccountProcess(['list', '--json'], { env })).toMatchObject({ output: '[]\n' });
});
