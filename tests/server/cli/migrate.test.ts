import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { COMMANDS, commandsIn } from '../../../server/config/installation.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { done, refused, startAccountProcess } from './runAccount.ts';

const migrate = (url: string, ...args: string[]) =>
  startAccountProcess(args, { DATABASE_URL: url }, 'migrate');

test('npm run migrate applies what the database lacks', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const outcome = await migrate(url).outcome;
  const applied = await query(url, 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1');
  expect(outcome).toEqual(done(applied.map(({ name }) => `Applied ${name}`).join('\n')));
  expect(await migrate(url).outcome).toEqual(done('There is nothing to apply'));
});

test('after kill -9 in a migration the next npm run migrate goes on by itself', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN; CREATE TABLE accounts (id int)');
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'transactionid'`;
  const killed = migrate(url);
  await expect.poll(() => query(url, waiting)).toHaveLength(1);
  killed.child.kill('SIGKILL');
  await killed.outcome;

  // PostgreSQL goes on for a moment with what the killed process asked for.
  await expect.poll(() => query(url, waiting)).toEqual([]);
  const next = migrate(url);
  await expect.poll(() => query(url, waiting)).toHaveLength(1);
  await other.query('ROLLBACK');
  const { exitCode, output } = await next.outcome;
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^Applied 20261120000000_/)]);
});

test('npm run migrate with an argument prints its usage and ends with 2', async () => {
  expect(await migrate('', 'now').outcome).toEqual(refused('Usage: npm run migrate\n', 2));
});

test('an installation without scripts of npm advises its own command', () => {
  const folder = temporaryFolder({ 'package.json': '{ "type": "module" }' });
  expect(commandsIn(folder)).toMatchObject({ account: 'audio account', migrate: 'audio migrate' });
  expect(COMMANDS.migrate).toBe('npm run migrate');
});
