import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createAccountKeys, newKey } from '../../../server/signIn/accountKeys.ts';
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
import { OPERATOR, runAccountHere } from '../cli/accountProgram.ts';

vi.setConfig({ testTimeout: 60_000 });

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
  await expect
    .poll(() =>
      here.logLines.map((line) => JSON.parse(line)).findLast(({ fields }) => fields?.[0] === 'tokens'),
    )
    .toMatchObject({ account: id, key: 'Emisora' });
  expect(here.logLines.join('')).not.toContain(key);
  expect(await account(['tokens', '--csv'])).toMatch(/,tool,[^,]+,Emisora$/);

  now = new Date(expiresAt.getTime() - 1);
  expect((await here.graphql(SESSION, bearer(key))).data?.session).not.toBeNull();
  now = expiresAt;
  expect((await here.graphql(SESSION, bearer(key))).data?.session).toBeNull();
  expect((await here.graphql(CREATE_TOKEN, bearer(key))).errors).toMatchObject([
    {
      message: expect.stringContaining('has expired or was revoked'),
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
  const find = () => Promise.all([key, unknown, key].map((sent) => accountKeys.find('TOOL', sent)));
  expect(await statementsOf(async () => expect(await find()).toMatchObject([{ id }, null, { id }]))).toBe(2);
});

test('add-key prints the key alone, once, and keeps only its hash', async () => {
  const { exitCode, output, remarks } = await run(['add-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^aop_tool_[\w-]{43}\n$/);
  expect(remarks).toMatch(/Added Emisora, until \d{4}-\d\d-\d\d\. The key, shown only now:\n$/);
  expect(remarks).not.toContain('aop_');
  const [row] = await here.prisma.$queryRaw<
    Array<{ row: string }>
  >`SELECT k::text AS row FROM account_keys k`;
  expect(row?.row).not.toContain(output.trim().slice('aop_tool_'.length));
  expect(row?.row).not.toContain(Buffer.from(output.trim()).toString('hex'));
});

test('adding and revoking a key are lines of the audit, without the key', async () => {
  await here.prisma.auditLine.deleteMany();
  const key = await addKey('--days', '1');
  await account(['revoke-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  const lines = await here.prisma.auditLine.findMany({ orderBy: { at: 'asc' } });
  const whose = { operator: OPERATOR, accountId: id, username: ACCOUNT.username };
  expect(lines).toMatchObject([
    { ...whose, command: 'add-key', details: expect.stringMatching(/^Emisora, tool, until \d{4}-/) },
    { ...whose, command: 'revoke-key', details: 'Emisora' },
  ]);
  expect(JSON.stringify(lines)).not.toContain(key);
});

test.each([
  [[], /^\/live\/aop_live_[\w-]{43}$/],
  [['--origin', 'https://audio.example'], /^https:\/\/audio\.example\/live\/aop_live_[\w-]{43}$/],
  [['--origin', 'http://127.0.0.1:4000/'], /^http:\/\/127\.0\.0\.1:4000\/live\/aop_live_[\w-]{43}$/],
])('add-key --player %j prints an address', async (more, address) => {
  expect(await addKey('--player', ...more)).toMatch(address);
});

test('list-keys shows kind, state, expiry and the last token, and never the key', async () => {
  const key = await addKey();
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Códec', '--player', '--days', '1']);
  await there.graphql(CREATE_TOKEN, bearer(key));
  await here.prisma.accountKey.updateMany({ where: { kind: 'PLAYER' }, data: { expiresAt: new Date() } });
  const [codec, tool] = JSON.parse(await account(['list-keys', ...OF_ACCOUNT, '--json']));
  const { createdAt } = await here.prisma.tokenRecord.findFirstOrThrow();
  expect([codec, tool]).toEqual([
    {
      name: 'Códec',
      kind: 'PLAYER',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
    },
    {
      name: 'Emisora',
      kind: 'TOOL',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: createdAt.toISOString(),
    },
  ]);
  const table = (await account(['list-keys', ...OF_ACCOUNT])).split('\n').map((line) => line.split(/ {2,}/));
  expect(table).toEqual([
    ['NAME', 'KIND', 'STATE', 'CREATED (UTC)', 'EXPIRY (UTC)', 'LAST TOKEN (UTC)'],
    ['Códec', 'player', 'expired', codec.createdAt, codec.expiresAt, '-'],
    ['Emisora', 'tool', 'active', tool.createdAt, tool.expiresAt, tool.lastUsedAt],
  ]);
  // A later key of the same name has not asked for anything.
  await account(['revoke-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  await addKey();
  expect(JSON.parse(await account(['list-keys', ...OF_ACCOUNT, '--json']))[1]).toMatchObject({
    lastUsedAt: null,
  });
});

test.each<[string, string[], number, string]>([
  ['add-key', ['--username', 'nadie@x.example', '--name', 'x'], 1, 'there is no account with that username'],
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'Emisora'],
    1,
    'the account has a key of that name: choose another, or revoke',
  ],
  ['add-key', [...OF_ACCOUNT, '--name', ' '], 1, 'name is blank'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x\u001b[2J'], 1, 'name contains control characters'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x'.repeat(65)], 1, 'name is longer than 64 characters'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--days', '0'], 2, 'a whole number of days, 1 to 3650'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--days', '3651'], 2, 'a whole number of days'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--days', '1.5'], 2, 'a whole number of days'],
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'x', '--player', '--origin', 'audio.example'],
    2,
    'an address without a path',
  ],
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'x', '--player', '--origin', 'https://a.example/b'],
    2,
    'without a path',
  ],
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'x', '--player', '--origin', 'https://u:p@a.example'],
    2,
    'without a path',
  ],
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'x', '--origin', 'https://a.example'],
    2,
    '--origin goes with --player',
  ],
  ['add-key', OF_ACCOUNT, 2, "required option '--name <name>'"],
  ['add-key', ['--username', ANOTHER.username, '--name', 'x'], 1, 'the account is disabled: enable it first'],
  ['list-keys', ['--username', 'nadie@x.example'], 1, 'there is no account with that username'],
  [
    'revoke-key',
    [...OF_ACCOUNT, '--name', 'x'],
    1,
    'the account has no key of that name: list-keys shows them',
  ],
  [
    'revoke-key',
    ['--username', 'nadie@x.example', '--name', 'x'],
    1,
    'there is no account with that username',
  ],
])('%s %j ends with %d and one line, and changes nothing', async (command, args, exitCode, said) => {
  await addKey();
  await account(['disable', '--username', ANOTHER.username]);
  const linesBefore = await here.prisma.auditLine.count();
  const outcome = await run([command, ...args]);
  expect(outcome).toMatchObject({ exitCode, output: '' });
  expect(outcome.remarks.replace(/^in .*\n/, '').split('\n')).toEqual([expect.stringContaining(said), '']);
  expect(await here.prisma.accountKey.count()).toBe(1);
  expect(await here.prisma.auditLine.count()).toBe(linesBefore);
});
