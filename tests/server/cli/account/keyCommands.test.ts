import pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '../../../../shared/durations.ts';
import { waitingForLock } from '../../../support/waitingForLock.ts';
import { done, provideAccountsDatabase, refused } from '../runAccount.ts';

const ACCOUNT = { username: 'radio@uno.example' };
const OTHER = { username: 'radio@dos.example' };
const DISABLED = { username: 'radio@tres.example', disabled: true };
const NOW = new Date('2027-03-01T12:00:00.000Z');
const ENDED = { username: 'radio@cuatro.example', validUntil: new Date('2020-03-02') };
const OF_ACCOUNT = ['--username', ACCOUNT.username];
const EMISORA = [...OF_ACCOUNT, '--name', 'Emisora'];

const database = provideAccountsDatabase();
let accountId: string;
beforeEach(async () => {
  ({ id: accountId } = await database.addAccount(ACCOUNT));
  for (const account of [OTHER, DISABLED, ENDED]) await database.addAccount(account);
});

const run = (args: string[], input = '') => database.run(args, { input, clock: () => NOW });
const addKey = (name: string, ...more: string[]) => run(['add-key', ...OF_ACCOUNT, '--name', name, ...more]);
const storedKey = () => database.prisma.accountKey.findFirstOrThrow({ where: { name: 'Emisora' } });
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const expireAt = (name: string, expiresAt: Date) =>
  database.prisma.accountKey.updateMany({ where: { name }, data: { expiresAt } });
const listed = async (...options: string[]) =>
  JSON.parse((await run(['list-keys', '--json', ...options])).output);
const namesOf = (keys: { name: string }[]) => keys.map(({ name }) => name);

test('add-key prints the key alone on standard output', async () => {
  const { exitCode, output } = await addKey('Emisora');
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^aop_tool_[\w-]{43}\n$/);
  expect(await storedKey()).toMatchObject({ kind: 'TOOL', networks: [], expiresAt: inDays(365) });
});

test.each([
  [[], '', '--origin'],
  [['--origin', 'https://audio.example'], 'https://audio.example', ''],
  [['--origin', 'http://localhost:80/'], 'http://localhost', 'use https'],
])('add-key --player %j prints an address', async (more, begin, remark) => {
  const { output, remarks } = await addKey('Emisora', '--player', ...more);
  expect(output).toMatch(new RegExp(`^${begin}/live/aop_live_[\\w-]{43}\n$`));
  expect(remarks.split('\n').length).toBe(remark === '' ? 3 : 4);
  expect(remarks).toContain('by chat');
  expect(remarks).toContain(remark);
});

test('add-key --from binds the key to networks', async () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  const bound = '203.0.113.0/24 and 2001:db8::/32';
  const { remarks } = await addKey('Emisora', ...networks.flatMap((each) => ['--from', each]));
  expect(remarks).toContain(`Added Emisora, until 2028-02-29T12:00:00Z, from ${bound} alone.`);
  expect(await storedKey()).toMatchObject({ networks });
  const { details } = await database.prisma.auditLine.findFirstOrThrow();
  expect(details).toBe(`Emisora, tool, until 2028-02-29T12:00:00.000Z, from ${bound}`);
  expect((await run(['list-keys'])).output).toMatch(/ {2}203\.0\.113\.0\/24, 2001:db8::\/32\n$/);
});

test.each([
  ['10.0.0.1/8', '10.0.0.0/8'],
  ['2001:DB8:0::1/32', '2001:db8::/32'],
])('add-key --from %s stores the network %s', async (typed, network) => {
  await addKey('Emisora', '--from', typed);
  expect(await storedKey()).toMatchObject({ networks: [network] });
});

test.each([
  ['valid', 300, ['--days', '30'], 30],
  ['expired', -300, [], 365],
])('extend-key lets a key that is %s count from today on', async (_state, endsIn, options, days) => {
  await addKey('Emisora');
  await expireAt('Emisora', inDays(endsIn));
  const before = await storedKey();
  const end = inDays(days).toISOString().replace('.000Z', 'Z');
  expect(await run(['extend-key', ...EMISORA, ...options])).toEqual(
    done(`Emisora of ${ACCOUNT.username} is now valid until ${end}`),
  );
  expect(await storedKey()).toEqual({ ...before, expiresAt: inDays(days) });
});

test('extend-key leaves the key of that name of another account', async () => {
  await addKey('Emisora');
  await run(['add-key', '--username', OTHER.username, '--name', 'Emisora']);
  await run(['extend-key', ...EMISORA, '--days', '30']);
  const keys = await database.prisma.accountKey.findMany({ orderBy: { expiresAt: 'asc' } });
  expect(keys.map(({ expiresAt }) => expiresAt)).toEqual([inDays(30), inDays(365)]);
});

test('list-keys shows all of a key but its secret', async () => {
  await addKey('Emisora', '--days', '10');
  await run(['add-key', '--username', OTHER.username, '--name', 'Códec', '--player']);
  await expireAt('Códec', NOW);
  await database.prisma.accountKey.updateMany({ where: { name: 'Emisora' }, data: { lastUsedAt: NOW } });
  const [codec, tool] = await listed();
  const times = { expiresAt: inDays(10).toISOString(), lastUsedAt: NOW.toISOString() };
  const names = { username: ACCOUNT.username, name: 'Emisora', kind: 'TOOL' };
  expect(tool).toEqual({ ...names, networks: [], createdAt: expect.any(String), ...times });
  const table = (await run(['list-keys'])).output.trimEnd().split('\n');
  const inSeconds = (time: string) => time.replace('.000Z', 'Z');
  const toolTimes = [tool.createdAt, inSeconds(tool.expiresAt), tool.lastUsedAt];
  expect(table.map((line) => line.split(/ {2,}/))).toEqual([
    ['USERNAME', 'NAME', 'KIND', 'STATE', 'CREATED (UTC)', 'EXPIRY (UTC)', 'LAST USE (UTC)', 'FROM'],
    [
      OTHER.username,
      'Códec',
      'player',
      'expired',
      codec.createdAt,
      inSeconds(codec.expiresAt),
      '-',
      'everywhere',
    ],
    [ACCOUNT.username, 'Emisora', 'tool', 'active', ...toolTimes, 'everywhere'],
  ]);
});

test('list-keys lists the soonest expiry first', async () => {
  await addKey('Agosto', '--days', '150');
  await run(['add-key', '--username', OTHER.username, '--name', 'Abril', '--days', '30']);
  await addKey('Marzo', '--days', '1');
  expect(namesOf(await listed())).toEqual(['Marzo', 'Abril', 'Agosto']);
  expect(namesOf(await listed(...OF_ACCOUNT))).toEqual(['Marzo', 'Agosto']);
});

test('a key ends with its account', async () => {
  await addKey('Emisora');
  await run(['extend', ...OF_ACCOUNT, '--until', '2027-03-05']);
  const end = '2027-03-05T23:59:59Z, when the account ends';
  expect((await addKey('Grabadora')).remarks).toContain(`Added Grabadora, until ${end}. The key`);
  const extended = await run(['extend-key', ...EMISORA]);
  expect(extended.output).toBe(`Emisora of ${ACCOUNT.username} is now valid until ${end}\n`);
  const expiresAt = '2027-03-06T00:00:00.000Z';
  expect(await listed('--expiring', '30')).toMatchObject([{ expiresAt }, { expiresAt }]);
});

test('add-key tells the end that another operator gives the account meanwhile', async () => {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`BEGIN; UPDATE accounts SET valid_until = '2027-03-06Z' WHERE id = '${accountId}'`);
  const adding = addKey('Emisora');
  await waitingForLock(database.url);
  await other.query('COMMIT');
  expect((await adding).remarks).toContain(
    'Added Emisora, until 2027-03-05T23:59:59Z, when the account ends.',
  );
});

test('no key of an account that has ended is active', async () => {
  const keyHash = Buffer.from('Emisora');
  const account = { connect: { username: ENDED.username } };
  await database.prisma.accountKey.create({
    data: { account, name: 'Emisora', kind: 'TOOL', keyHash, expiresAt: inDays(9) },
  });
  expect((await run(['list-keys'])).output).toMatch(/^radio@cuatro.example +Emisora +tool +expired /m);
  expect(await listed('--expiring', '30')).toEqual([]);
  expect((await run(['list'])).output).toMatch(
    /^radio@cuatro.example +Radio Uno +EXPIRED +2020-03-01T23:59:59Z +0 /m,
  );
});

test('list-keys --expiring lists only those that end by then', async () => {
  for (const days of ['1', '30', '31']) await addKey(`in ${days}`, '--days', days);
  await addKey('Vencida');
  await expireAt('Vencida', NOW);
  expect(namesOf(await listed('--expiring', '30'))).toEqual(['in 1', 'in 30']);
});

test('list-keys without a key says so', async () => {
  expect(await run(['list-keys'])).toEqual(done('No key matches.'));
});

test('list counts the valid keys of each account', async () => {
  await addKey('Emisora');
  await addKey('Vencida');
  await expireAt('Vencida', NOW);
  expect((await run(['list'])).output).toMatch(/^radio@uno.example +Radio Uno +enabled +- +1 /m);
});

test('set-password counts the valid keys of this account alone', async () => {
  await run(['add-key', '--username', OTHER.username, '--name', 'Otra']);
  for (const name of ['Vencida', 'Emisora', 'Grabadora']) await addKey(name);
  await expireAt('Vencida', NOW);
  const { output } = await run(['set-password', ...OF_ACCOUNT], 'otro-secreto\n');
  expect(output).toContain('; 2 keys stay valid');
});

test('revoke-key revokes one key alone', async () => {
  await addKey('Emisora');
  await addKey('Otra');
  await run(['add-key', '--username', OTHER.username, '--name', 'Emisora']);
  await run(['revoke-key', ...EMISORA]);
  const left = await database.prisma.accountKey.findMany({ orderBy: { name: 'desc' } });
  expect(left).toMatchObject([{ accountId, name: 'Otra' }, { name: 'Emisora' }]);
  expect(left[1]?.accountId).not.toBe(accountId);
});

const X = [...OF_ACCOUNT, '--name', 'x'];
test.each<[string, string[], number, string]>([
  ['add-key', [...OF_ACCOUNT, '--name', ' '], 2, 'name is blank'],
  ['add-key', [...OF_ACCOUNT, '--name', 'x'.repeat(65)], 2, 'name is longer than 64 characters'],
  ['add-key', [...X, '--days', '0'], 2, '1 to 3650'],
  ['add-key', [...X, '--days', '3651'], 2, '1 to 3650'],
  ['add-key', [...X, '--days', '1e2'], 2, '1 to 3650'],
  ['add-key', [...X, '--player', '--origin', 'ftp://a.example'], 2, 'begin with https://'],
  ['add-key', [...X, '--player', '--origin', 'a.example'], 2, 'begin with https://'],
  ['add-key', [...X, '--player', '--origin', 'https://a.example:port'], 2, 'name a host'],
  ['add-key', [...X, '--player', '--origin', 'https://user:secret@a.example'], 2, 'no user name'],
  ['add-key', [...X, '--player', '--origin', 'https://a.example/b'], 2, 'without a path: https://a.example.'],
  ['add-key', [...X, '--origin', 'https://a.example'], 2, '--origin goes with --player'],
  ['add-key', ['--username', ENDED.username, '--name', 'x'], 1, 'the account has ended'],
  ['add-key', [...X, '--from', '203.0.113.0'], 2, 'It must be a network'],
  ['add-key', [...X, '--from', '::/0'], 2, 'covers every address'],
  ['extend-key', X, 1, 'the account has no key of that name'],
  ['extend-key', ['--username', DISABLED.username, '--name', 'x'], 1, 'the account is disabled'],
  ['extend-key', ['--username', ENDED.username, '--name', 'x'], 1, 'the account has ended'],
  ['list-keys', ['--username', 'nadie@x.example'], 1, 'there is no account with that username'],
])('%s %j ends with %d and changes nothing', async (command, args, exitCode, said) => {
  await addKey('Emisora');
  const state = () =>
    Promise.all([database.prisma.accountKey.findMany(), database.prisma.auditLine.findMany()]);
  const before = await state();
  expect(await run([command, ...args])).toEqual(refused(said, exitCode));
  expect(await state()).toEqual(before);
});
