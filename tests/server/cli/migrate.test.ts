import pg from 'pg';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { rewriteNpmCommands } from '../../../server/npmCommands.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { done, startAccountProcess } from './accountProgram.ts';

beforeAll(buildUnlessFresh);

const start = (url: string, ...args: string[]) => startAccountProcess(args, { DATABASE_URL: url }, 'migrate');
const migrate = (url: string, ...args: string[]) => start(url, ...args).outcome;

test('npm run migrate applies what the database lacks', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const outcome = await migrate(url);
  const applied = await query(url, 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1');
  expect(outcome).toEqual(done(applied.map(({ name }) => `Applied ${name}`).join('\n')));
  expect(await migrate(url)).toEqual(done('There is nothing to apply'));
});

test('after kill -9 in a migration the next npm run migrate goes on by itself', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN; CREATE TABLE accounts (id int)');
  const killed = start(url);
  await somebodyWaits('transactionid', url);
  killed.child.kill('SIGKILL');
  expect((await killed.outcome).exitCode).toBe(null);

  // PostgreSQL goes on with what the killed process asked for, so the next one has to wait.
  const next = start(url);
  await somebodyWaits('advisory', url);
  await other.query('ROLLBACK');
  const { exitCode, output } = await next.outcome;
  expect(output).toMatch(/^Applied 20261120000000_accounts_and_sessions\n/);
  expect(exitCode).toBe(0);
});

async function somebodyWaits(lock: string, url: string): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = '${lock}'`;
  await vi.waitFor(async () => expect(await query(url, waiting)).toHaveLength(1), { timeout: 120_000 });
}

test('npm run migrate takes no arguments', async () => {
  const { exitCode, remarks } = await migrate('', 'now');
  expect(exitCode).toBe(2);
  expect(remarks).toMatch(/^Usage: npm run migrate\n/);
});

test('an installation without scripts of npm advises its own command', () => {
  const folder = temporaryFolder({ 'package.json': '{ "type": "module" }' });
  expect(rewriteNpmCommands('npm run --silent account -- usage, npm run migrate', folder)).toBe(
    'audio account usage, audio migrate',
  );
  expect(rewriteNpmCommands('npm run migrate')).toBe('npm run migrate');
});
