import { beforeEach, expect, test } from 'vitest';
import { provideAccountsDatabase } from './accountProgram.ts';

const ACCOUNT = { username: 'radio@uno.example' };
const OTHER = { username: 'radio@dos.example' };
const DISABLED = { username: 'radio@tres.example', disabled: true };
const ENDED = { username: 'radio@cuatro.example', validUntil: new Date('2027-03-01T12:00:00Z') };
const OF_ACCOUNT = ['--username', ACCOUNT.username];
const EMISORA = [...OF_ACCOUNT, '--name', 'Emisora'];
const DAY_MS = 86_400_000;
const NOW = new Date('2027-03-01T12:00:00.000Z');

const database = provideAccountsDatabase();
let accountId: string;
beforeEach(async () => {
  ({ id: accountId } = await database.addAccount(ACCOUNT));
  for (const account of [OTHER, DISABLED, ENDED]) await database.addAccount(account);
});

const run = (args: string[], input = '') => database.run(args, { input, clock: () => NOW });

/** Returns the output of a command that succeeds. */
async function account(args: string[], input = ''): Promise<string> {
  const { exitCode, output, remarks } = await run(args, input);
  if (exitCode !== 0) throw new Error(remarks);
  return output.trimEnd();
}

const addKey = (...more: string[]) => account(['add-key', ...EMISORA, ...more]);
const storedKey = () => database.prisma.accountKey.findFirstOrThrow({ where: { name: 'Emisora' } });
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const expireAt = (name: string, expiresAt: Date) =>
  database.prisma.accountKey.updateMany({ where: { name }, data: { expiresAt } });
const namesIn = (json: string) => JSON.parse(json).map(({ name }: { name: string }) => name);

test('add-key prints the key alone on standard output', async () => {
  const { exitCode, output, remarks } = await run(['add-key', ...EMISORA]);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^aop_tool_[\w-]{43}\n$/);
  expect(remarks).toMatch(/Added Emisora, until 2028-02-29\. The key, shown only now:\n$/);
  expect(await storedKey()).toMatchObject({ kind: 'TOOL', networks: [], expiresAt: inDays(365) });
});

test.each([
  [[], '', "Write the server's https:// and host before the address, as --origin does\n"],
  [['--origin', 'https://audio.example'], 'https://audio.example', ''],
  [
    ['--origin', 'http://localhost:80/'],
    'http://localhost',
    'By http everybody on the way can read the address: use https\n',
  ],
])('add-key --player %j prints an address', async (more, begin, remark) => {
  const { output, remarks } = await run(['add-key', ...EMISORA, '--player', ...more]);
  expect(output).toMatch(new RegExp(`^${begin}/live/aop_live_[\\w-]{43}\n$`));
  expect(remarks).toContain(`\n${remark}Added Emisora`);
});

test('add-key --from binds the key to networks', async () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  const { remarks } = await run(['add-key', ...EMISORA, ...networks.flatMap((each) => ['--from', each])]);
  expect(remarks).toContain(
    'Added Emisora, until 2028-02-29, from 203.0.113.0/24 and 2001:db8::/32 alone. The key',
  );
  expect(await storedKey()).toMatchObject({ networks });
  expect(await database.prisma.auditLine.findFirst()).toMatchObject({
    details: 'Emisora, tool, until 2028-02-29T12:00:00.000Z, from 203.0.113.0/24 and 2001:db8::/32',
  });
  expect(await account(['list-keys'])).toMatch(/ {2}203\.0\.113\.0\/24, 2001:db8::\/32$/);
});

test.each([
  ['10.0.0.1/8', '10.0.0.0/8'],
  ['2001:DB8:0::1/32', '2001:db8::/32'],
])('add-key --from %s stores the network %s', async (typed, network) => {
  await addKey('--from', typed);
  expect(await storedKey()).toMatchObject({ networks: [network] });
});

test.each([
  ['valid', 300, ['--days', '30'], 30, '2027-03-31'],
  ['expired', -300, [], 365, '2028-02-29'],
])('extend-key lets a key that is %s count from today on', async (_state, endsIn, options, days, day) => {
  await addKey();
  await expireAt('Emisora', inDays(endsIn));
  const before = await storedKey();
  const said = await account(['extend-key', ...EMISORA, ...options]);
  expect(said).toBe(`Emisora of ${ACCOUNT.username} now counts until ${day}`);
  expect(await storedKey()).toEqual({ ...before, expiresAt: inDays(days) });
});

test('list-keys shows all of a key but its secret', async () => {
  await addKey('--days', '10');
  await account(['add-key', '--username', OTHER.username, '--name', 'Códec', '--player']);
  await expireAt('Códec', inDays(-1));
  await database.prisma.accountKey.updateMany({ where: { name: 'Emisora' }, data: { lastUsedAt: NOW } });
  const [codec, tool] = JSON.parse(await account(['list-keys', '--json']));
  expect(tool).toEqual({
    username: ACCOUNT.username,
    name: 'Emisora',
    kind: 'TOOL',
    networks: [],
    createdAt: expect.any(String),
    expiresAt: inDays(10).toISOString(),
    lastUsedAt: NOW.toISOString(),
  });
  const table = (await account(['list-keys'])).split('\n').map((line) => line.split(/ {2,}/));
  const toolTimes = [tool.createdAt, tool.expiresAt, tool.lastUsedAt];
  expect(table).toEqual([
    ['USERNAME', 'NAME', 'KIND', 'STATE', 'CREATED (UTC)', 'EXPIRY (UTC)', 'LAST USE (UTC)', 'FROM'],
    [OTHER.username, 'Códec', 'player', 'expired', codec.createdAt, codec.expiresAt, '-', 'everywhere'],
    [ACCOUNT.username, 'Emisora', 'tool', 'active', ...toolTimes, 'everywhere'],
  ]);
});

test('list-keys lists the soonest expiry first', async () => {
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Agosto', '--days', '150']);
  await account(['add-key', '--username', OTHER.username, '--name', 'Abril', '--days', '30']);
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Marzo', '--days', '1']);
  expect(namesIn(await account(['list-keys', '--json']))).toEqual(['Marzo', 'Abril', 'Agosto']);
  expect(namesIn(await account(['list-keys', ...OF_ACCOUNT, '--json']))).toEqual(['Marzo', 'Agosto']);
});

test('list-keys --expiring lists only those that end by then', async () => {
  for (const days of ['1', '30', '31']) {
    await account(['add-key', ...OF_ACCOUNT, '--name', `in ${days}`, '--days', days]);
  }
  await addKey();
  await expireAt('Emisora', NOW);
  expect(namesIn(await account(['list-keys', '--expiring', '30', '--json']))).toEqual(['in 1', 'in 30']);
});

test('list counts the valid keys of each account', async () => {
  await addKey();
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Vencida']);
  await expireAt('Vencida', NOW);
  expect(await account(['list'])).toMatch(/^radio@uno.example +Radio Uno +enabled +- +1 /m);
});

test.each([
  [0, ''],
  [1, '; 1 key stays valid (list-keys, revoke-key)'],
  [2, '; 2 keys stay valid (list-keys, revoke-key)'],
])('set-password says that %d keys stay valid', async (count, said) => {
  await account(['add-key', '--username', OTHER.username, '--name', 'Otra']);
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Vencida']);
  await expireAt('Vencida', NOW);
  for (let key = 0; key < count; key += 1) await account(['add-key', ...OF_ACCOUNT, '--name', `${key}`]);
  expect(await account(['set-password', ...OF_ACCOUNT], 'otro-secreto\n')).toBe(
    `Changed the password of ${ACCOUNT.username} and ended its sessions${said}`,
  );
});

test('revoke-key revokes one key alone', async () => {
  await addKey();
  await account(['add-key', ...OF_ACCOUNT, '--name', 'Otra']);
  await account(['add-key', '--username', OTHER.username, '--name', 'Emisora']);
  expect(await account(['revoke-key', ...EMISORA])).toBe(`Revoked Emisora of ${ACCOUNT.username}`);
  const left = await database.prisma.accountKey.findMany({ orderBy: { name: 'desc' } });
  expect(left).toMatchObject([{ accountId, name: 'Otra' }, { name: 'Emisora' }]);
  expect(left[1]?.accountId).not.toBe(accountId);
});

const X = [...OF_ACCOUNT, '--name', 'x'];
const DAYS = 'It must be a whole number of days, 1 to 3650.';
test.each<[string, string[], number, string]>([
  ['add-key', EMISORA, 1, 'the account has a key of that name: choose another, or revoke'],
  ['add-key', [...OF_ACCOUNT, '--name', ' '], 2, 'name is blank'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x'.repeat(65)], 2, 'name is longer than 64 characters'],
  ['add-key', [...X, '--days', '0'], 2, DAYS],
  ['add-key', [...X, '--days', '3651'], 2, DAYS],
  ['add-key', [...X, '--days', 'abc'], 2, DAYS],
  ['add-key', [...X, '--player', '--origin', 'ftp://a.example'], 2, 'an address without a path'],
  ['add-key', [...X, '--player', '--origin', 'https://a.example/b'], 2, 'without a path'],
  ['add-key', [...X, '--origin', 'https://a.example'], 2, '--origin goes with --player'],
  ['add-key', ['--username', DISABLED.username, '--name', 'x'], 1, 'the account is disabled: enable'],
  ['add-key', [...X, '--from', '203.0.113.0'], 2, '203.0.113.7/32 is one address'],
  ['add-key', [...X, '--from', '300.1.1.1/99'], 2, 'It must be a network'],
  ['add-key', [...X, '--from', '0.0.0.0/0'], 2, 'binds nothing'],
  ['add-key', [...X, '--from', '::/0'], 2, 'binds nothing'],
  ['extend-key', X, 1, 'the account has no key of that name: list-keys shows them'],
  ['extend-key', ['--username', DISABLED.username, '--name', 'x'], 1, 'the account is disabled'],
  ['add-key', ['--username', ENDED.username, '--name', 'x'], 1, 'the account has ended: extend it first'],
  ['list-keys', ['--expiring', '0'], 2, DAYS],
  ['list-keys', ['--username', 'nadie@x.example'], 1, 'there is no account with that username'],
  ['revoke-key', X, 1, 'the account has no key of that name: list-keys shows them'],
])('%s %j ends with %d and changes nothing', async (command, args, exitCode, said) => {
  await addKey();
  const state = () =>
    Promise.all([database.prisma.accountKey.findMany(), database.prisma.auditLine.findMany()]);
  const before = await state();
  const outcome = await run([command, ...args]);
  expect(outcome).toMatchObject({ exitCode, output: '' });
  expect(outcome.remarks.replace(/^in .*\n/, '').split('\n')).toEqual([expect.stringContaining(said), '']);
  expect(await state()).toEqual(before);
});
