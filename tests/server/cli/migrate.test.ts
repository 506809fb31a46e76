import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { IN_DATABASE, runAccountHere, withoutDatabaseName } from './accountProgram.ts';

beforeAll(buildUnlessFresh);

async function migrate(url: string, args: string[] = []) {
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  const options = { cwd: PROJECT_ROOT, env };
  const { code, stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['dist/server/migrate.js', ...args],
    options,
  ).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { exitCode: code, output: stdout, remarks: withoutDatabaseName(stderr) };
}

test('npm run migrate applies what the database lacks, names the database, and then lets account commands work', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);

  const { exitCode, output, remarks } = await migrate(url);
  expect({ exitCode, remarks }).toEqual({ exitCode: 0, remarks: IN_DATABASE });
  const applied = await query(url, 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1');
  expect(output).toBe(applied.map(({ name }) => `Applied ${name}\n`).join(''));
  expect(await runAccountHere(['list', '--json'], { url })).toMatchObject({ exitCode: 0, output: '[]\n' });

  expect(await migrate(url)).toEqual({
    exitCode: 0,
    output: 'There is nothing to apply\n',
    remarks: IN_DATABASE,
  });
});

test('npm run migrate leaves the tables of something else alone', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  await query(url, 'CREATE TABLE products (id int)');
  expect(await migrate(url)).toEqual({
    exitCode: 1,
    output: '',
    remarks: expect.stringMatching(
      /^in a test database\nerror: The database of DATABASE_URL is not this server's: .*products.*\n$/,
    ),
  });
  expect(await query(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
    { tablename: 'products' },
  ]);
});

test('npm run migrate takes no arguments', async () => {
  expect(await migrate('', ['now'])).toMatchObject({
    exitCode: 2,
    remarks: expect.stringMatching(/^Usage: npm run migrate\n/),
  });
});

test('an installation, which has no scripts of npm, advises its own command', async () => {
  const folder = temporaryFolder({ 'package.json': '{ "type": "module" }' });
  for (const name of ['dist/server', 'prisma']) {
    await cp(path.join(PROJECT_ROOT, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(PROJECT_ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: folder, env: { DATABASE_URL: url } }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
  expect((await run('dist/server/account.js', 'list')).stderr).toContain(
    'error: The database has no tables yet: run audio migrate, or start the server\n',
  );
  expect((await run('dist/server/account.js', 'usage', '--help')).stdout).toContain(
    '  audio account usage --csv > usage.csv\n',
  );
  expect((await run('dist/server/migrate.js', 'now')).stderr).toMatch(/^Usage: audio migrate\n/);
});
