import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { ACCOUNT, CREATE_TOKEN, LOGOUT, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { runAccountHere } from '../cli/accountProgram.ts';

vi.mock('../../../server/signIn/password.ts', { spy: true });
const ANOTHER = { username: 'radio@dos.example', password: 'secreto-2', company: 'Radio Dos' };
const NEW_PASSWORD = 'otro-secreto';

type Headers = Record<string, string>;

let database: TestDatabase;
let here: TestApp;
let there: TestApp;

beforeAll(async () => {
  database = await createTestDatabase();
  const shared = { databaseUrl: database.url, jwtSecret: 'the same for both instances of this test file' };
  here = await startTestApp(shared);
  there = await startTestApp(shared);
});
beforeEach(async () => {
  await here.addAccount(ACCOUNT);
  await here.addAccount(ANOTHER);
});
afterEach(async () => {
  vi.mocked(verifyPassword).mockReset();
  await here.prisma.account.deleteMany();
  await here.prisma.attemptCount.deleteMany();
});
afterAll(async () => {
  await here.close();
  await there.close();
  await database.drop();
});

/** On which instances the session counts: for what it shows, and for a token. */
async function whereSignedIn(headers: Headers): Promise<string[]> {
  const found: string[] = [];
  for (const [name, app] of Object.entries({ here, there })) {
    const [session, token] = await Promise.all([
      app.graphql(SESSION, { headers }),
      app.graphql(CREATE_TOKEN, { headers }),
    ]);
    if (session.data?.session !== null) found.push(`session ${name}`);
    if (token.errors?.[0]?.extensions.code !== 'UNAUTHENTICATED') found.push(`token ${name}`);
  }
  return found;
}

const EVERYWHERE = ['session here', 'token here', 'session there', 'token there'];

async function account(args: string[], input = ''): Promise<void> {
  const outcome = await runAccountHere(args, { url: database.url, input });
  expect(outcome).toMatchObject({ exitCode: 0 });
}

const OF_ACCOUNT = ['--username', ACCOUNT.username];
const ENDINGS: Record<string, (headers: Headers) => Promise<unknown>> = {
  'signing out': (headers) => here.graphql(LOGOUT, { headers }),
  'account set-password': () => account(['set-password', ...OF_ACCOUNT], `${NEW_PASSWORD}\n`),
  'account disable': () => account(['disable', ...OF_ACCOUNT]),
  // The previous release raises no version.
  'disabling by the previous release': () =>
    here.prisma.account.update({ where: { username: ACCOUNT.username }, data: { disabled: true } }),
  'account delete': () => account(['delete', '--yes', ...OF_ACCOUNT]),
};

describe('a session is refused on every instance at the next request', () => {
  test.each(Object.entries(ENDINGS))(
    'after %s, as bearer and as cookie, and no other account’s is',
    async (_name, end) => {
      const { jwt, cookie } = await here.signIn();
      const [bearer, browser] = [{ authorization: `Bearer ${jwt}` }, { cookie }];
      const other = {
        authorization: `Bearer ${(await there.signIn(ANOTHER.username, ANOTHER.password)).jwt}`,
      };
      expect(await whereSignedIn(bearer)).toEqual(EVERYWHERE);
      expect(await whereSignedIn(browser)).toEqual(EVERYWHERE);

      await end(bearer);
      expect(await whereSignedIn(bearer)).toEqual([]);
      expect(await whereSignedIn(browser)).toEqual([]);
      expect(await whereSignedIn(other)).toEqual(EVERYWHERE);
    },
  );

  test('and stays so when a disabled account is enabled again', async () => {
    const headers = await here.bearer();
    await account(['disable', ...OF_ACCOUNT]);
    await account(['enable', ...OF_ACCOUNT]);
    expect(await whereSignedIn(headers)).toEqual([]);
    expect(await whereSignedIn(await there.bearer())).toEqual(EVERYWHERE);
  });
});

test('a renamed account keeps its session, and signs in by the new username alone, whatever counted against either', async () => {
  const RENAMED = 'radio@nueva.example';
  const headers = await here.bearer();
  const codeOf = async (username: string, password: string) =>
    (await there.login(username, password)).errors?.[0]?.extensions.code;
  for (const username of [ACCOUNT.username, RENAMED]) {
    for (let guess = 0; guess < 5; guess += 1) await codeOf(username, 'equivocada');
    expect(await codeOf(username, ACCOUNT.password)).toBe('RATE_LIMITED');
  }

  await account(['rename', ...OF_ACCOUNT, '--to', RENAMED]);

  expect(await whereSignedIn(headers)).toEqual(EVERYWHERE);
  expect(await codeOf(RENAMED, ACCOUNT.password)).toBeUndefined();
  vi.mocked(verifyPassword).mockClear();
  expect(await codeOf(ACCOUNT.username, ACCOUNT.password)).not.toBeUndefined();
});

describe('a sign-in under way starts no session that counts', () => {
  test.each([
    ['the password is changed', ['set-password', ...OF_ACCOUNT]],
    ['the account is disabled', ['disable', ...OF_ACCOUNT]],
  ])('when %s after its password was found right', async (_name, command) => {
    vi.mocked(verifyPassword).mockImplementationOnce(async () => {
      await account(command, `${NEW_PASSWORD}\n`);
      return true;
    });
    expect(await whereSignedIn(await here.bearer())).toEqual([]);
  });

  test('when the account is deleted at that moment: the answer is that of an unknown username', async () => {
    vi.mocked(verifyPassword).mockImplementationOnce(async () => {
      await here.prisma.account.delete({ where: { username: ACCOUNT.username } });
      return true;
    });
    const { data, errors, headers } = await here.login();
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { message: 'Credenciales invalidas', extensions: { code: 'INVALID_CREDENTIALS' } },
    ]);
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('when the credentials change while it starts, because it carries the version before', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('UPDATE accounts SET credentials_version = credentials_version + 1');
      const headers = await here.bearer();
      await client.query('COMMIT');
      expect(await here.prisma.session.count()).toBe(1);
      expect(await whereSignedIn(headers)).toEqual([]);
    } finally {
      await client.end();
    }
  });
});

test('a session of the previous release, which has no version, counts until its row is deleted', async () => {
  await account(['set-password', ...OF_ACCOUNT], `${NEW_PASSWORD}\n`);
  const { jwt } = await here.signIn(ACCOUNT.username, NEW_PASSWORD);
  const headers = { authorization: `Bearer ${jwt}` };
  await here.prisma.session.updateMany({ data: { credentialsVersion: null } });
  expect(await whereSignedIn(headers)).toEqual(EVERYWHERE);
  await account(['set-password', ...OF_ACCOUNT], `${NEW_PASSWORD}\n`);
  expect(await whereSignedIn(headers)).toEqual([]);
});
