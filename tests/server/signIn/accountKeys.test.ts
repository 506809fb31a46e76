import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAccountKeys, keyHashOf, newKey } from '../../../server/signIn/accountKeys.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  LOGOUT,
  providerOf,
  SESSION,
  STREAM,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { runAccountHere } from '../cli/accountProgram.ts';

const ANOTHER = { username: 'radio@dos.example', password: 'secreto-2', company: 'Radio Dos' };
const OF_ACCOUNT = ['--username', ACCOUNT.username];
const DAY_MS = 86_400_000;

let database: TestDatabase;
let here: TestApp;
let there: TestApp;
let id: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const shared = { databaseUrl: database.url, jwtSecret: 'the same for both instances of this test file' };
  const tokenLimits = { maxAtOnce: 4, maxPerMinute: 3 };
  here = await startTestApp({ ...shared, clock: () => now, tokenLimits });
  there = await startTestApp({ ...shared, provider: providerOf('b3Rybw==') });
});
afterAll(async () => {
  await here.close();
  await there.close();
  await database.drop();
});

let now: Date;
beforeEach(async () => {
  now = new Date();
  ({ id } = await here.addAccount(ACCOUNT));
  await here.addAccount(ANOTHER);
});
afterEach(async () => {
  await here.prisma.account.deleteMany();
  await here.prisma.tokenRecord.deleteMany();
});

const run = (args: string[], input = '') => runAccountHere(args, { url: database.url, input });

async function account(args: string[], input = ''): Promise<string> {
  const { exitCode, output, remarks } = await run(args, input);
  if (exitCode !== 0) throw new Error(remarks);
  return output.trimEnd();
}

const addKey = (...more: string[]) => account(['add-key', ...OF_ACCOUNT, '--name', 'Emisora', ...more]);
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** On which instances the key counts, for a session and for a token. */
async function whereItCounts(key: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, app] of Object.entries({ here, there })) {
    const { data } = await app.graphql(SESSION, bearer(key));
    const { errors } = await app.graphql(CREATE_TOKEN, bearer(key));
    if (data?.session !== null) found.push(`session ${name}`);
    if (errors?.[0]?.extensions.code !== 'UNAUTHENTICATED') found.push(`token ${name}`);
  }
  return found;
}
const EVERYWHERE = ['session here', 'token here', 'session there', 'token there'];

test('a key stands for its account until it expires, and is named by the ledger, the log and `account tokens`', async () => {
  const key = await addKey('--days', '10');
  expect(key).toMatch(/^aop_tool_[\w-]{43}$/);
  const { expiresAt } = await here.prisma.accountKey.findFirstOrThrow();
  expect(Math.abs(expiresAt.getTime() - Date.now() - 10 * DAY_MS)).toBeLessThan(60_000);
  expect(await here.graphql(SESSION, bearer(key))).toMatchObject({
    data: { session: { id, company: 'Radio Uno', expiry: expiresAt.toISOString() } },
  });
  expect(await here.graphql(STREAM, bearer(key))).toMatchObject({ data: { stream: {} } });
  const { data } = await here.graphql(CREATE_TOKEN, bearer(key));
  expect(data).toMatchObject({ createToken: { token: 'dG9rZW4=', company: 'Radio Uno' } });
  expect(await here.graphql('{ tokens { edges { node { client keyName } } } }', bearer(key))).toMatchObject({
    data: { tokens: { edges: [{ node: { client: 'TOOL', keyName: 'Emisora' } }] } },
  });
  expect(
    here.logLines.map((line) => JSON.parse(line)).findLast(({ fields }) => fields?.[0] === 'tokens'),
  ).toMatchObject({ account: id, key: 'Emisora' });
  expect(here.logLines.join('')).not.toContain(key);
  expect(await account(['tokens', '--csv'])).toMatch(/,tool,[^,]+,Emisora$/);

  now = new Date(expiresAt.getTime() - 1);
  expect((await here.graphql(SESSION, bearer(key))).data?.session).not.toBeNull();
  now = expiresAt;
  expect((await here.graphql(SESSION, bearer(key))).data?.session).toBeNull();
  expect((await here.graphql(CREATE_TOKEN, bearer(key))).errors).toMatchObject([
    {
      message: expect.stringContaining('has expired, was revoked'),
      extensions: { code: 'UNAUTHENTICATED', reason: 'KEY_REFUSED' },
    },
  ]);
});

const ENDINGS: Record<string, () => Promise<unknown>> = {
  'revoke-key': () => account(['revoke-key', ...OF_ACCOUNT, '--name', 'Emisora']),
  'disable, and enabling the account again does not bring it back,': async () => {
    await account(['disable', ...OF_ACCOUNT]);
    await account(['enable', ...OF_ACCOUNT]);
  },
  'disabling by the previous release': () =>
    here.prisma.account.update({ where: { id }, data: { disabled: true } }),
  'disabling by the previous release and enabling by this one': async () => {
    await here.prisma.account.update({ where: { id }, data: { disabled: true } });
    await account(['enable', ...OF_ACCOUNT]);
  },
  'deleting the account': () => here.prisma.account.delete({ where: { id } }),
};
test.each(Object.entries(ENDINGS))(
  'after %s a key is refused on every instance at the next request',
  async (_name, end) => {
    const key = await addKey();
    const other = await account(['add-key', '--username', ANOTHER.username, '--name', 'Emisora']);
    expect(await whereItCounts(key)).toEqual(EVERYWHERE);
    await end();
    expect(await whereItCounts(key)).toEqual([]);
    expect(await whereItCounts(other)).toEqual(EVERYWHERE);
  },
);

test('a new password, unlocking, enabling and the end of another key leave a key valid', async () => {
  const key = await addKey();
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Otra']);
  await account(['set-password', ...OF_ACCOUNT], 'otro-secreto\n');
  await account(['unlock', ...OF_ACCOUNT]);
  await account(['enable', ...OF_ACCOUNT]);
  await account(['revoke-key', ...OF_ACCOUNT, '--name', 'Otra']);
  expect(await whereItCounts(key)).toEqual(EVERYWHERE);
});

test('logout leaves a key valid and says so, and a sign-in sent with it replaces no session', async () => {
  const key = await addKey();
  expect(await here.graphql(LOGOUT, bearer(key))).toMatchObject({
    data: null,
    errors: [{ message: expect.stringContaining('not signed out'), extensions: { code: 'BAD_USER_INPUT' } }],
  });
  const { username, password } = ACCOUNT;
  expect(await here.graphql(LOGIN, { variables: { username, password }, ...bearer(key) })).toMatchObject({
    data: { login: { id } },
  });
  expect(await whereItCounts(key)).toEqual(EVERYWHERE);
});

test('a key is no session cookie, a player’s key opens nothing of the API, and nothing but the whole key counts', async () => {
  const key = await addKey();
  const [, playerKey = ''] = (await account(['add-key', ...OF_ACCOUNT, '--name', 'Códec', '--player'])).split(
    '/live/',
  );
  expect(playerKey).toMatch(/^aop_live_[\w-]{43}$/);
  const { session } = (await here.graphql(SESSION, { headers: { cookie: `session=${key}` } })).data ?? {};
  expect(session).toBeNull();
  const forged = [
    playerKey,
    playerKey.replace('live', 'tool'),
    key.slice(0, -1),
    `${key}A`,
    'aop_',
    key.toUpperCase(),
    `${key}%00`,
  ];
  for (const sent of forged) {
    const { data } = await here.graphql(SESSION, bearer(sent));
    expect([sent, data?.session]).toEqual([sent, null]);
  }
});

test('keys of an account share the limits of its tools', async () => {
  const [one, two] = [await addKey(), await account(['add-key', ...OF_ACCOUNT, '--name', 'Otra'])];
  const { jwt, cookie } = await here.signIn();
  for (const sent of [one, two, jwt])
    expect((await here.graphql(CREATE_TOKEN, bearer(sent))).errors).toBeUndefined();
  expect((await here.graphql(CREATE_TOKEN, bearer(jwt))).errors).toMatchObject([
    { extensions: { code: 'RATE_LIMITED' } },
  ]);
  expect((await here.graphql(CREATE_TOKEN, { headers: { cookie } })).errors).toBeUndefined();
});

test('a key beyond its share of its account’s limits refuses no other', async () => {
  const [one, two] = [await addKey(), await account(['add-key', ...OF_ACCOUNT, '--name', 'Otra'])];
  expect((await here.graphql(CREATE_TOKEN, bearer(one))).errors).toBeUndefined();
  for (let call = 0; call < 10; call += 1) {
    expect((await here.graphql(CREATE_TOKEN, bearer(one))).errors).toMatchObject([
      {
        message: expect.stringContaining('Too many tokens of this key in a minute'),
        extensions: { code: 'RATE_LIMITED' },
      },
    ]);
  }
  expect((await here.graphql(CREATE_TOKEN, bearer(two))).errors).toBeUndefined();
});

test('a key that the previous release added works from everywhere', async () => {
  const key = newKey('TOOL');
  await here.prisma.$executeRaw`
    INSERT INTO account_keys (id, account_id, name, kind, key_hash, expires_at)
    VALUES (gen_random_uuid(), ${id}, 'Emisora', 'TOOL', ${keyHashOf(key)}, now() + interval '1 day')`;
  expect(await whereItCounts(key)).toEqual(EVERYWHERE);
});

describe('a key that is bound to networks', () => {
  const FROM = ['--from', '203.0.113.0/24', '--from', '2001:db8::/32'];
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const INSIDE = ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::9'];
  const OUTSIDE = ['203.0.114.9', '::ffff:203.0.114.9', '2001:db9::9', '::1', 'unknown'];
  let proxied: TestApp;
  beforeAll(async () => {
    proxied = await startTestApp({ databaseUrl: database.url, trustProxy: 1 });
    return () => proxied.close();
  });

  test('opens the API there alone', async () => {
    const key = await addKey(...FROM);
    const sessionFrom = async (address: string) => {
      const headers = { authorization: `Bearer ${key}`, ...from(address) };
      return (await proxied.graphql(SESSION, { headers })).data?.session;
    };
    for (const address of INSIDE)
      expect([address, await sessionFrom(address)]).toMatchObject([address, { id }]);
    for (const address of OUTSIDE) expect([address, await sessionFrom(address)]).toEqual([address, null]);
  });

  test('opens a player’s address there alone, also within the minute of its token', async () => {
    const path = await addKey('--player', ...FROM);
    const statusFrom = async (address: string) =>
      (await fetch(`${proxied.url}${path}`, { headers: from(address), redirect: 'manual' })).status;
    for (const address of INSIDE) expect([address, await statusFrom(address)]).toEqual([address, 302]);
    for (const address of OUTSIDE) expect([address, await statusFrom(address)]).toEqual([address, 403]);
  });

  test('is refused elsewhere like an unknown one, and logged by its name and the address', async () => {
    const path = await addKey('--player', ...FROM);
    const [bound, unknown] = await Promise.all(
      [path, `/live/${newKey('PLAYER')}`].map(async (sent) => {
        const answer = await fetch(`${proxied.url}${sent}`, { headers: from('198.51.100.7') });
        return { status: answer.status, text: await answer.text() };
      }),
    );
    expect(bound).toEqual(unknown);
    const warnings = proxied.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    expect(warnings.at(-1)).toMatchObject({
      account: id,
      key: 'Emisora',
      address: '198.51.100.7',
      msg: 'a key was sent from outside its networks',
    });
    expect(proxied.logLines.join('')).not.toContain(path.slice('/live/'.length));
  });
});

test('a token by key costs as many statements as one by session, and keys of one moment share one', async () => {
  const key = await addKey();
  const { jwt } = await there.signIn();
  const statementsOf = async (work: () => Promise<unknown>) => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await work();
      return query.mock.calls.length;
    } finally {
      query.mockRestore();
    }
  };
  const bySession = await statementsOf(() => there.graphql(CREATE_TOKEN, bearer(jwt)));
  expect(await statementsOf(() => there.graphql(CREATE_TOKEN, bearer(key)))).toBe(bySession);

  const accountKeys = createAccountKeys(here.prisma, () => now);
  const unknown = newKey('TOOL');
  const caller = { address: '127.0.0.1', log: { warn() {} } };
  const find = () => Promise.all([key, unknown, key].map((sent) => accountKeys.find('TOOL', sent, caller)));
  expect(await statementsOf(async () => expect(await find()).toMatchObject([{ id }, null, { id }]))).toBe(2);
});
