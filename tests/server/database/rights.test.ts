import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { missingRights, TABLES } from '../../../server/database/rights.ts';
import { plainCanary } from '../../support/canaries.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp, type TestApp } from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const ROLE = plainCanary();
const PASSWORD = plainCanary();
const EVERYTHING = 'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public';

let database: TestDatabase;
let url: string;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  url = Object.assign(new URL(database.url), { username: ROLE, password: PASSWORD }).href;
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`);
});
beforeEach(() => admin.query(`GRANT ${EVERYTHING} TO ${ROLE}`));
afterEach(() => admin.query(`ALTER ROLE ${ROLE} RESET ALL; DROP OWNED BY ${ROLE}`));
afterAll(async () => {
  await admin.query(`DROP ROLE ${ROLE}`);
  await admin.end();
  await database.drop();
});

test('the rights are asked for all tables that the migrations make', async () => {
  const { rows } = await admin.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
  );
  expect(TABLES).toEqual(rows.map(({ tablename }) => tablename));
});

test('a standby is told from a setting', () => {
  const rights = { isStandby: true, isReadOnly: true, mayUseSchema: true, tables: [], privileges: [] };
  expect(missingRights(rights)?.explain('DATABASE_URL')).toBe(
    'The database of DATABASE_URL is a standby, which can only be read: name the primary.',
  );
});

describe('an instance that may no longer change rows', () => {
  let app: TestApp;
  let headers: { authorization: string };

  beforeEach(async () => {
    const before = await startTestApp({ databaseUrl: url, jwtSecret: PASSWORD.repeat(2) });
    await before.prisma.account.deleteMany();
    await before.addAccount(ACCOUNT);
    headers = await before.bearer();
    await before.close();
  });

  async function isUnavailable(reason: string) {
    app = await startTestApp({ databaseUrl: url, jwtSecret: PASSWORD.repeat(2) });
    onTestFinished(() => app.close());
    const ready = await fetch(`${app.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'database not writable' }]);
    for (const { errors } of [await app.login(), await app.graphql(CREATE_TOKEN, { headers })]) {
      expect(errors?.map((error) => error.extensions.code)).toEqual(['DATABASE_UNAVAILABLE']);
    }
    const log = app.logLines.join('');
    expect(log).toContain(`"reason":"${reason}"`);
    expect(log).not.toMatch(/INTERNAL_SERVER_ERROR|canario/);
  }

  test('for a privilege was taken from it, is not ready, says DATABASE_UNAVAILABLE, and works once it is given back', async () => {
    await admin.query(`REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM ${ROLE}`);
    await isUnavailable('42501');
    await admin.query(`GRANT ${EVERYTHING} TO ${ROLE}`);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    expect((await app.login()).errors).toBeUndefined();
  });

  test('for the database can only be read, is not ready and says DATABASE_UNAVAILABLE', async () => {
    await admin.query(`ALTER ROLE ${ROLE} SET default_transaction_read_only = on`);
    await isUnavailable('25006');
  });
});

describe('a start', () => {
  async function startSays(): Promise<string> {
    const { failure, close } = await startServerHere(url);
    await close();
    return failure ?? 'it starts';
  }

  test.each([
    [
      'a privilege',
      `REVOKE INSERT, DELETE ON attempts, sessions FROM ${ROLE}`,
      'The user of DATABASE_URL lacks DELETE, INSERT on attempts, sessions: make it the owner of the tables, ' +
        `or run GRANT ${EVERYTHING} TO it.`,
    ],
    [
      'the right to write at all',
      `ALTER ROLE ${ROLE} SET default_transaction_read_only = on`,
      'The database of DATABASE_URL can only be read, for default_transaction_read_only is on: ' +
        'run ALTER ROLE … RESET default_transaction_read_only, or the same with ALTER DATABASE or ALTER SYSTEM, wherever it is set.',
    ],
  ])('without %s says how to grant it, and what is told mends it', async (_what, take, said) => {
    await admin.query(take);
    expect(await startSays()).toBe(said);
    const [, cure = ''] = /run ((?:GRANT .* TO|ALTER ROLE … RESET \w+))/.exec(said) ?? [];
    await admin.query(cure.endsWith('TO') ? `${cure} ${ROLE}` : cure.replace('…', ROLE));
    expect(await startSays()).toBe('it starts');
  });
});
