import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../../../server/database/migrations/migrations.ts';
import { query } from '../../../support/query.ts';
import { startTestApp, type TestApp } from '../../../support/testApp.ts';
import { emptyTestDatabase } from '../../../support/testDatabase.ts';
import { runAccountHere } from '../../cli/runAccount.ts';

/** Made by pg_dump of a database that release 1.4.0 used: rows of all kinds, by all kinds of callers. */
const DUMP = readFileSync(new URL('release-1.4.0.sql', import.meta.url), 'utf8');

const KEPT = {
  accounts: 'SELECT * FROM accounts ORDER BY id',
  keys: 'SELECT * FROM account_keys ORDER BY id',
  ledger:
    'SELECT id, account_id, created_at, expires_at, token_hash, outcome, address, key_name FROM token_records ORDER BY id',
  audit: 'SELECT * FROM audit_lines ORDER BY id',
  deleted: 'SELECT * FROM deleted_accounts',
  notice: 'SELECT * FROM notices',
  attempts: 'SELECT key, expires_at FROM attempts ORDER BY key',
};

let url: string;
let applied: string[];
let before: Record<string, unknown>;
let app: TestApp;

const rowsOf = async (statements: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(statements).map(async ([name, sql]) => [name, await query(url, sql)])),
  );

beforeAll(async () => {
  const database = await emptyTestDatabase();
  url = database.url;
  await query(url, DUMP);
  before = await rowsOf(KEPT);
  applied = await applyMigrations(url);
  app = await startTestApp({ databaseUrl: url });
  return () => app.close().then(database.drop);
});

test('a database of 1.4.0 gets the migrations made since', () => {
  expect(applied).toEqual(['20261125100000_version_2', '20261127180000_sessions_cookie_sent']);
});

test('accounts, keys, ledger, audit and notice of 1.4.0 keep their times', async () => {
  expect(await rowsOf(KEPT)).toEqual(before);
  for (const rows of Object.values(before)) expect(rows).not.toEqual([]);
});

test('the ledger of 1.4.0 names players as such', async () => {
  const callers = await app.prisma.tokenRecord.findMany({
    select: { client: true, outcome: true },
    orderBy: { id: 'asc' },
  });
  expect(callers.map(({ client, outcome }) => `${client} ${outcome}`)).toEqual([
    'BROWSER ISSUED',
    'TOOL ISSUED',
    'TOOL ISSUED',
    'PLAYER ISSUED',
    'BROWSER ISSUED',
    'BROWSER PROVIDER_UNAVAILABLE',
  ]);
});

test('partners of 1.4.0 sign in again with their password', async () => {
  expect(await app.prisma.session.count()).toBe(0);
  await app.signIn('radio@uno.example', 'secreto-1');
  await app.signIn('radio@segunda.example', 'secreto-2');
});

test('commands report what 1.4.0 wrote', async () => {
  const run = async (...args: string[]) => (await runAccountHere(args, { url })).output;
  expect(await run('list')).toMatch(/radio@segunda\.example +Radio Dos +enabled +2030-06-30T23:59:59Z +1 /);
  expect(await run('list-keys')).toMatch(/radio@uno\.example +codec +player +active/);
  expect(await run('tokens')).toMatch(/Radio Cuatro +radio@cuatro\.example +issued +127\.0\.0\.1 +browser/);
  expect(await run('audit')).toMatch(/operadora +delete +radio@cuatro\.example/);
});
