import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { TABLES } from '../../../server/database/rights.ts';
import { startFailure } from '../../../server/startFailure.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { IN_DATABASE, runAccountHere } from './accountProgram.ts';

const ROLE = `role_${randomUUID().replaceAll('-', '')}`;
const ACCOUNT = { username: 'radio@uno.example', company: 'Radio Uno' };
const NO_DATABASE =
  'The user of DATABASE_URL may not enter the database: make it the owner, or run GRANT CONNECT ON DATABASE … TO it.';
const EVERYTHING = 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO it.';
const LACKING =
  'The user of DATABASE_URL lacks DELETE, INSERT, SELECT, UPDATE on ' +
  `${TABLES.join(', ')}: make it the owner of the tables, or run ${EVERYTHING}`;
const NO_TABLES = `The user of DATABASE_URL may not work with all tables: make it their owner, or run ${EVERYTHING}`;

let database: TestDatabase;
let name: string;
let url: string;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  name = new URL(database.url).pathname.slice(1);
  url = Object.assign(new URL(database.url), { username: ROLE, password: 'canario' }).href;
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'canario'`);
});
// A role that may nothing.
beforeEach(() => admin.query(`DROP OWNED BY ${ROLE}; REVOKE ALL ON DATABASE ${name} FROM PUBLIC`));
afterAll(async () => {
  await admin.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
  await admin.end();
  await database.drop();
});

/** Grants what the message told, for this database and role. */
function grant(privileges: string): Promise<unknown> {
  return admin.query(`GRANT ${privileges.replace('…', name)} TO ${ROLE}`);
}

async function startSays(): Promise<string> {
  const error: unknown = await applyMigrations(url).catch((reason: unknown) => reason);
  return error instanceof Error ? startFailure(error) : 'it starts';
}

test('the start names what the role lacks, and what is told mends it', async () => {
  expect(await startSays()).toBe(NO_DATABASE);
  await grant('CONNECT ON DATABASE …');
  expect(await startSays()).toBe(LACKING);
  await grant('SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public');
  expect(await startSays()).toBe('it starts');
});

test('so does each account command', async () => {
  expect(await runAccountHere(['list'], { url })).toMatchObject({
    remarks: `${IN_DATABASE}error: ${NO_DATABASE}\n`,
  });
  await grant('CONNECT ON DATABASE …');
  expect(await runAccountHere(['list'], { url })).toMatchObject({
    remarks: `${IN_DATABASE}error: ${LACKING}\n`,
  });
  await grant('SELECT ON _prisma_migrations');
  const { username, company } = ACCOUNT;
  const add = ['add', '--username', username, '--company', company, '--generate'];
  const refused = { exitCode: 1, output: '', remarks: `${IN_DATABASE}error: ${NO_TABLES}\n` };
  for (const command of [['list'], add, ['usage'], ['tokens']]) {
    expect([command, await runAccountHere(command, { url })]).toEqual([command, refused]);
  }
  await grant('SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public');
  expect(await runAccountHere(['list'], { url })).toMatchObject({ exitCode: 0 });
});
