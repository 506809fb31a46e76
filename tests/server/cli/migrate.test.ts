import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { rewriteNpmCommands } from '../../../server/npmCommands.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { done, startAccountProcess } from './accountProgram.ts';

beforeAll(buildUnlessFresh);

const migrate = (url: string, ...args: string[]) =>
  startAccountProcess(args, { DATABASE_URL: url }, 'migrate').outcome;

test('npm run migrate applies what the database lacks', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const outcome = await migrate(url);
  const applied = await query(url, 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1');
  expect(outcome).toEqual(done(applied.map(({ name }) => `Applied ${name}`).join('\n')));
  expect(await migrate(url)).toEqual(done('There is nothing to apply'));
});

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
