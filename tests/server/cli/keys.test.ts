import { beforeEach, expect, test } from 'vitest';
import { OPERATOR, provideAccountsDatabase, runAccountHere } from './accountProgram.ts';

const ACCOUNT = { username: 'radio@uno.example', company: 'Radio Uno', passwordHash: 'not a hash' };
const OTHER = { ...ACCOUNT, username: 'radio@dos.example', company: 'Radio Dos' };
const DISABLED = { ...ACCOUNT, username: 'radio@tres.example', company: 'Radio Tres', disabled: true };
const OF_ACCOUNT = ['--username', ACCOUNT.username];
const DAY_MS = 86_400_000;
const NOW = new Date('2027-03-01T12:00:00.000Z');

const database = provideAccountsDatabase();
let id: string;
beforeEach(async () => {
  ({ id } = await database.prisma.account.create({ data: ACCOUNT }));
  await database.prisma.account.createMany({ data: [OTHER, DISABLED] });
});

const run = (args: string[], input = '') =>
  runAccountHere(args, { url: database.url, input, clock: () => NOW });

/** Returns the output of a command that succeeds. */
async function account(args: string[], input = ''): Promise<string> {
  const { exitCode, output, remarks } = await run(args, input);
  if (exitCode !== 0) throw new Error(remarks);
  return output.trimEnd();
}

const addKey = (...more: string[]) => account(['add-key', ...OF_ACCOUNT, '--name', 'Emisora', ...more]);
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const namesIn = (json: string) => JSON.parse(json).map(({ name }: { name: string }) => name);

test('add-key prints the key alone, once, and keeps only its hash', async () => {
  const { exitCode, output, remarks } = await run(['add-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^aop_tool_[\w-]{43}\n$/);
  expect(remarks).toMatch(/Added Emisora, until \d{4}-\d\d-\d\d\. The key, shown only now:\n$/);
  expect(remarks).not.toContain('aop_');
  const [row] = await database.prisma.$queryRaw<
    Array<{ row: string }>
  >`SELECT k::text AS row FROM account_keys k`;
  expect(row?.row).not.toContain(output.trim().slice('aop_tool_'.length));
  expect(row?.row).not.toContain(Buffer.from(output.trim()).toString('hex'));
});

test('adding and revoking a key are lines of the audit, without the key', async () => {
  await database.prisma.auditLine.deleteMany();
  const key = await addKey('--days', '1');
  await account(['revoke-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  const lines = await database.prisma.auditLine.findMany({ orderBy: { at: 'asc' } });
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

test('add-key --from keeps the networks with the key, and says so', async () => {
  const { remarks } = await run([
    ...['add-key', ...OF_ACCOUNT, '--name', 'Emisora'],
    ...['--from', '203.0.113.0/24', '--from', '2001:db8::/32'],
  ]);
  expect(remarks).toContain(
    'Added Emisora, until 2028-02-29, from 203.0.113.0/24 and 2001:db8::/32 alone. The key',
  );
  expect(await database.prisma.accountKey.findFirst()).toMatchObject({
    networks: ['203.0.113.0/24', '2001:db8::/32'],
  });
  expect(await database.prisma.auditLine.findFirst()).toMatchObject({
    details: 'Emisora, tool, until 2028-02-29T12:00:00.000Z, from 203.0.113.0/24 and 2001:db8::/32',
  });
  expect(await account(['list-keys'])).toMatch(/ {2}203\.0\.113\.0\/24, 2001:db8::\/32$/);
});

test.each([
  ['one that still counts', 300],
  ['one that ends later', 3_000],
  ['one that has expired', -300],
])('extend-key lets %s count from today on, and changes nothing else of it', async (_what, days) => {
  await addKey();
  await database.prisma.accountKey.updateMany({ data: { expiresAt: inDays(days) } });
  const { expiresAt: _, ...before } = await database.prisma.accountKey.findFirstOrThrow();
  const said = await account(['extend-key', ...OF_ACCOUNT, '--name', 'Emisora', '--days', '30']);
  expect(said).toBe(`Emisora of ${ACCOUNT.username} now counts until 2027-03-31`);
  expect(await database.prisma.accountKey.findFirst()).toEqual({ ...before, expiresAt: inDays(30) });
});

test('extend-key without days lets a key count for a year', async () => {
  await addKey('--days', '1');
  await account(['extend-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  expect(await database.prisma.accountKey.findFirst()).toMatchObject({ expiresAt: inDays(365) });
});

test('extending a key is a line of the audit', async () => {
  await addKey();
  await database.prisma.auditLine.deleteMany();
  await account(['extend-key', ...OF_ACCOUNT, '--name', 'Emisora', '--days', '30']);
  const { username } = ACCOUNT;
  expect(await database.prisma.auditLine.findMany()).toMatchObject([
    {
      ...{ operator: OPERATOR, accountId: id, username, command: 'extend-key' },
      details: 'Emisora, until 2027-03-31T12:00:00.000Z',
    },
  ]);
});

test('a revoked key cannot be extended', async () => {
  await addKey();
  await account(['revoke-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  const { exitCode, remarks } = await run(['extend-key', ...OF_ACCOUNT, '--name', 'Emisora']);
  expect(exitCode).toBe(1);
  expect(remarks).toContain('error: the account has no key of that name: list-keys shows them\n');
  expect(await database.prisma.accountKey.count()).toBe(0);
});

test('list-keys shows whose each key is, kind, state, expiry, last token and networks', async () => {
  await addKey('--days', '10');
  await account(['add-key', '--username', OTHER.username, '--name', 'Códec', '--player', '--days', '5']);
  await database.prisma.accountKey.updateMany({ where: { kind: 'PLAYER' }, data: { expiresAt: inDays(-1) } });
  const createdAt = new Date(Date.now() + 1_000);
  const record = { accountId: id, outcome: 'ISSUED', client: 'TOOL', keyName: 'Emisora', createdAt } as const;
  await database.prisma.tokenRecord.createMany({
    data: [record, { ...record, createdAt: new Date(0) }, { ...record, keyName: null }],
  });
  const [codec, tool] = JSON.parse(await account(['list-keys', '--json']));
  const common = { createdAt: expect.any(String), networks: [] };
  expect([codec, tool]).toEqual([
    {
      ...common,
      username: OTHER.username,
      name: 'Códec',
      kind: 'PLAYER',
      expiresAt: inDays(-1).toISOString(),
      lastUsedAt: null,
    },
    {
      ...common,
      username: ACCOUNT.username,
      name: 'Emisora',
      kind: 'TOOL',
      expiresAt: inDays(10).toISOString(),
      lastUsedAt: createdAt.toISOString(),
    },
  ]);
  const table = (await account(['list-keys'])).split('\n').map((line) => line.split(/ {2,}/));
  expect(table).toEqual([
    ['USERNAME', 'NAME', 'KIND', 'STATE', 'CREATED (UTC)', 'EXPIRY (UTC)', 'LAST TOKEN (UTC)', 'FROM'],
    [OTHER.username, 'Códec', 'player', 'expired', codec.createdAt, codec.expiresAt, '-', 'everywhere'],
    [
      ACCOUNT.username,
      'Emisora',
      'tool',
      'active',
      tool.createdAt,
      tool.expiresAt,
      tool.lastUsedAt,
      'everywhere',
    ],
  ]);
});

test('a later key of the same name has not asked for the earlier one’s tokens', async () => {
  const createdAt = new Date(0);
  await database.prisma.tokenRecord.create({
    data: { accountId: id, outcome: 'ISSUED', client: 'TOOL', keyName: 'Emisora', createdAt },
  });
  await addKey();
  expect(JSON.parse(await account(['list-keys', '--json']))).toMatchObject([{ lastUsedAt: null }]);
});

test('list-keys lists the keys of all accounts, or of one, the soonest expiry first', async () => {
  for (const [username, name, days] of [
    [ACCOUNT.username, 'Agosto', '150'],
    [OTHER.username, 'Abril', '30'],
    [ACCOUNT.username, 'Marzo', '1'],
  ] as const) {
    await account(['add-key', '--username', username, '--name', name, '--days', days]);
  }
  expect(namesIn(await account(['list-keys', '--json']))).toEqual(['Marzo', 'Abril', 'Agosto']);
  expect(namesIn(await account(['list-keys', ...OF_ACCOUNT, '--json']))).toEqual(['Marzo', 'Agosto']);
});

test('list-keys --expiring lists those alone that end by then', async () => {
  for (const days of ['1', '30', '31']) {
    await account(['add-key', ...OF_ACCOUNT, '--name', `in ${days}`, '--days', days]);
  }
  await addKey();
  await database.prisma.accountKey.updateMany({ where: { name: 'Emisora' }, data: { expiresAt: NOW } });
  expect(namesIn(await account(['list-keys', '--expiring', '30', '--json']))).toEqual(['in 1', 'in 30']);
});

test('list counts the keys of each account that still count', async () => {
  await addKey();
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Vencida']);
  await database.prisma.accountKey.updateMany({ where: { name: 'Vencida' }, data: { expiresAt: NOW } });
  expect(await account(['list'])).toMatch(/^radio@uno.example +Radio Uno +enabled +1 /m);
  const keys = JSON.parse(await account(['list', '--json'])).map((listed: { keys: number }) => listed.keys);
  expect(keys).toEqual([0, 0, 1]);
});

test.each([
  [0, ''],
  [1, '; 1 key stays valid (list-keys, revoke-key)'],
  [2, '; 2 keys stay valid (list-keys, revoke-key)'],
])('set-password says that %d keys stay valid', async (count, said) => {
  await account(['add-key', '--username', OTHER.username, '--name', 'Otra']);
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Vencida']);
  await database.prisma.accountKey.updateMany({ where: { name: 'Vencida' }, data: { expiresAt: NOW } });
  for (let key = 0; key < count; key += 1) await account(['add-key', ...OF_ACCOUNT, '--name', `${key}`]);
  expect(await account(['set-password', ...OF_ACCOUNT], 'otro-secreto\n')).toBe(
    `Changed the password of ${ACCOUNT.username} and ended its sessions${said}`,
  );
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
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'x', '--days', '0'],
    1,
    '--days must be a whole number of days, 1 to 3650',
  ],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--days', '3651'], 1, 'a whole number of days'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--days', '1.5'], 1, 'a whole number of days'],
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
  [
    'add-key',
    ['--username', DISABLED.username, '--name', 'x'],
    1,
    'the account is disabled: enable it first',
  ],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--from', '203.0.113.0/33'], 1, '--from must be a network'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--from', '203.0.113.0'], 1, '203.0.113.7/32 is one address'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--from', 'estudio.example'], 1, '--from must be a network'],
  [
    'add-key',
    [...OF_ACCOUNT, '--name', 'x', '--from', '10.0.0.0/8', '--from', '2001:db8::/129'],
    1,
    '--from must be a network',
  ],
  ['add-key', [...OF_ACCOUNT, '--name', 'x', '--from', ''], 1, '--from must be a network'],
  [
    'extend-key',
    [...OF_ACCOUNT, '--name', 'Emisora', '--days', '0'],
    1,
    '--days must be a whole number of days, 1 to 3650',
  ],
  [
    'extend-key',
    [...OF_ACCOUNT, '--name', 'Emisora', '--days', '3651'],
    1,
    '--days must be a whole number of days',
  ],
  [
    'extend-key',
    [...OF_ACCOUNT, '--name', 'x'],
    1,
    'the account has no key of that name: list-keys shows them',
  ],
  [
    'extend-key',
    ['--username', OTHER.username, '--name', 'Emisora'],
    1,
    'the account has no key of that name',
  ],
  [
    'extend-key',
    ['--username', DISABLED.username, '--name', 'Emisora'],
    1,
    'the account is disabled: enable it first',
  ],
  [
    'extend-key',
    ['--username', 'nadie@x.example', '--name', 'x'],
    1,
    'there is no account with that username',
  ],
  ['list-keys', ['--expiring', '0'], 1, '--expiring must be a whole number of days, 1 to 3650'],
  ['list-keys', ['--expiring', 'pronto'], 1, '--expiring must be a whole number of days'],
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
  const before = await database.prisma.accountKey.findMany();
  const linesBefore = await database.prisma.auditLine.count();
  const outcome = await run([command, ...args]);
  expect(outcome).toMatchObject({ exitCode, output: '' });
  expect(outcome.remarks.replace(/^in .*\n/, '').split('\n')).toEqual([expect.stringContaining(said), '']);
  expect(await database.prisma.accountKey.findMany()).toEqual(before);
  expect(await database.prisma.auditLine.count()).toBe(linesBefore);
});
