import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openConnection } from '../../../server/database/connection.ts';
import { applyMigrations } from '../../../server/database/migrations/migrations.ts';
import {
  explainOtherRoles,
  missingRights,
  requireMigrationRights,
  TABLES,
} from '../../../server/database/rights.ts';
import { explainStartError } from '../../../server/explainError.ts';
import { PATIENCE_MS } from '../../support/patientDatabase.ts';
import { query } from '../../support/query.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp } from '../../support/testApp.ts';
import { createTestDatabase, emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { refused, runAccountHere } from '../cli/runAccount.ts';
import { provideRole } from './testRole.ts';

const EVERYTHING = 'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  return database.drop;
});
const role = provideRole(() => database.url);

const grant = (privileges: string) => role.admin.query(`GRANT ${privileges} TO ${role.name}`);

async function startSays(): Promise<string> {
  return applyMigrations(role.urlOf(database.url)).then(
    () => 'it starts',
    (error) => explainStartError(error),
  );
}

test('the rights are asked for all tables that the migrations make', async () => {
  const { rows } = await role.admin.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
  );
  expect(TABLES).toEqual(rows.map(({ tablename }) => tablename));
});

test.each([
  [{ isStandby: true }, 'is a read-only standby: name the primary.'],
  [{ isReadOnly: true }, 'is on: run ALTER ROLE … RESET default_transaction_read_only'],
  [{ mayUseSchema: false }, 'may not use the schema public: run GRANT USAGE ON SCHEMA public TO it.'],
])('what is missing with %o is told', (found, said) => {
  const rights = { isStandby: false, isReadOnly: false, mayUseSchema: true, tables: [], privileges: [] };
  expect(missingRights({ ...rights, ...found })?.explain('DATABASE_URL')).toContain(said);
});

test('a start without privileges says what to grant', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await role.admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  expect(await startSays()).toContain('run GRANT CONNECT ON DATABASE … TO it.');
  await grant(`CONNECT ON DATABASE ${name}`);
  expect(await startSays()).toContain(`lacks DELETE, INSERT, SELECT, UPDATE on ${TABLES.join(', ')}: `);
  await grant(EVERYTHING);
  expect(await startSays()).toBe('it starts');
  await role.admin.query(`GRANT CONNECT ON DATABASE ${name} TO PUBLIC`);
});

test('a user who owns all tables but one is told which', async () => {
  const other = await createTestDatabase();
  onTestFinished(other.drop);
  const owned = TABLES.filter((table) => table !== 'notices');
  await query(
    other.url,
    `GRANT ${EVERYTHING} TO ${role.name}; GRANT CREATE ON SCHEMA public TO ${role.name};
    ${owned.map((table) => `ALTER TABLE ${table} OWNER TO ${role.name};`).join(' ')}`,
  );
  const client = await openConnection(role.urlOf(other.url), { timeoutMs: PATIENCE_MS });
  const missing: unknown = await requireMigrationRights(client).catch((reason: unknown) => reason);
  await client.end();
  expect(explainStartError(missing)).toContain('does not own notices, which migrations change');
});

test('an account command without privileges says what to grant', async () => {
  await grant('SELECT ON _prisma_migrations');
  expect(await runAccountHere(['list'], { url: role.urlOf(database.url) })).toEqual(
    refused(`or run GRANT ${EVERYTHING} TO it.\n`),
  );
});

test('an instance is not ready while its privileges are taken', async () => {
  await grant(EVERYTHING);
  const app = await startTestApp({ databaseUrl: role.urlOf(database.url) });
  onTestFinished(() => app.close());
  await app.addAccount(ACCOUNT);
  const headers = await app.bearer();
  await role.admin.query(`REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM ${role.name}`);
  const ready = await fetch(`${app.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'database not writable' }]);
  for (const { errors } of [await app.login(), await app.graphql(CREATE_TOKEN, { headers })]) {
    expect(errors?.map((error) => error.extensions.code)).toEqual(['DATABASE_UNAVAILABLE']);
  }
  expect(app.logLines.join('')).toContain('"reason":"42501: ');
  await grant(EVERYTHING);
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  expect((await app.login()).errors).toBeUndefined();
});

test('a start names the roles that may read password hashes, and what revokes it', async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  await query(
    url,
    `ALTER DEFAULT PRIVILEGES GRANT SELECT, DELETE ON TABLES TO ${role.name};
     ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC`,
  );
  const first = await startServerHere(url);
  const said = told(first.logLines);
  await first.close();
  expect(first.failure).toBeNull();
  expect(said).toEqual([
    expect.stringContaining(
      `password hashes and sessions: PUBLIC (SELECT), ${role.name} (DELETE, SELECT). Unless`,
    ),
  ]);
  await query(url, /as the owner of the tables: (.*)$/.exec(said[0] ?? '')?.[1] ?? '');
  await query(url, 'CREATE TABLE of_next_release (); GRANT SELECT ON accounts TO CURRENT_USER');
  const next = await startServerHere(url);
  await next.close();
  expect(told(next.logLines)).toEqual([]);
  expect(await query(url, "SELECT relacl FROM pg_class WHERE relname = 'of_next_release'")).toEqual([
    { relacl: null },
  ]);
});

const told = (logLines: string[]) =>
  logLines.map((line) => JSON.parse(line).msg).filter((msg) => /^other roles have rights/.test(msg));

test.each([
  ['SELECT ON accounts', 'SELECT'],
  ['SELECT (password_hash) ON accounts', 'SELECT'],
])('a role with %s is named', async (granted, privilege) => {
  const other = await createTestDatabase();
  onTestFinished(other.drop);
  await query(other.url, `GRANT ${granted} TO ${role.name}`);
  const client = await openConnection(other.url, { timeoutMs: PATIENCE_MS });
  const explained = await explainOtherRoles(client).finally(() => client.end());
  expect(explained).toContain(`sessions: ${role.name} (${privilege}). Unless`);
});
