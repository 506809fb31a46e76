import { userInfo } from 'node:os';
import { expect, test, vi } from 'vitest';
import { operatorName } from '../../../server/cli/commandContext.ts';
import { done, OPERATOR, provideAccountsDatabase, refused } from './runAccount.ts';

const USERNAME = 'radio@uno.example';
const RENAMED = 'radio@nueva.example';
const OF_ACCOUNT = ['--username', USERNAME];
const CODEC = [...OF_ACCOUNT, '--name', 'codec'];
const PASSWORD = 'canario-secreto';
const ROW = { id: 'uno', username: 'radio@importada', password: PASSWORD, company: 'Radio' };

const database = provideAccountsDatabase();

const run = (args: string[], input = '') => database.run(args, { input });
const add = (username = USERNAME) => run(['add', '--username', username, '--company', 'Radio Uno'], PASSWORD);
const lines = async (...args: string[]) => JSON.parse((await run(['audit', '--json', ...args])).output);

test('each command that changes something has a line', async () => {
  await add();
  await run(['set-password', ...OF_ACCOUNT], `${PASSWORD}-2`);
  for (const command of ['add-key', 'extend-key', 'revoke-key']) await run([command, ...CODEC]);
  await run(['extend', ...OF_ACCOUNT, '--until', 'none']);
  for (const command of ['end-sessions', 'disable', 'enable', 'unlock']) await run([command, ...OF_ACCOUNT]);
  await run(['set-company', ...OF_ACCOUNT, '--company', 'Radio Dos']);
  await run(['rename', ...OF_ACCOUNT, '--to', RENAMED]);
  await run(['delete', '--username', RENAMED, '--yes']);
  await run(['import', '-'], JSON.stringify([ROW, { id: 'tres' }]));

  const [headings = '', ...table] = (await run(['audit'])).output.trimEnd().split('\n');
  expect(headings.split(/ {2,}/)).toEqual(['TIME (UTC)', 'OPERATOR', 'COMMAND', 'USERNAME', 'DETAILS']);
  expect(table.map((line) => line.split(/ {2,}/).slice(1).join(' | '))).toEqual([
    'operadora | import | - | 1 added, 0 already there, 1 refused',
    'operadora | delete | radio@nueva.example | Radio Dos',
    'operadora | rename | radio@uno.example | to radio@nueva.example',
    'operadora | set-company | radio@uno.example | from Radio Uno to Radio Dos',
    'operadora | unlock | radio@uno.example',
    'operadora | enable | radio@uno.example',
    'operadora | disable | radio@uno.example',
    'operadora | end-sessions | radio@uno.example',
    'operadora | extend | radio@uno.example | without end',
    'operadora | revoke-key | radio@uno.example | codec',
    expect.stringMatching(/^operadora \| extend-key \| radio@uno.example \| codec, until .*Z$/),
    expect.stringMatching(/^operadora \| add-key \| radio@uno.example \| codec, tool, until .*Z$/),
    'operadora | set-password | radio@uno.example',
    'operadora | add | radio@uno.example | Radio Uno',
  ]);
});

test.each<[string, string[], string?]>([
  ['add', ['--username', 'radio@tres.example', '--company', 'Radio'], PASSWORD],
  ['disable', OF_ACCOUNT],
  ['rename', [...OF_ACCOUNT, '--to', RENAMED]],
  ['delete', [...OF_ACCOUNT, '--yes']],
  ['add-key', [...OF_ACCOUNT, '--name', 'recorder']],
  ['extend-key', [...CODEC, '--days', '1']],
  ['revoke-key', CODEC],
  ['import', ['-'], JSON.stringify([ROW])],
])('%s changes nothing where its line cannot be written', async (command, args, input) => {
  await add();
  await run(['add-key', ...CODEC]);
  const state = () => database.prisma.account.findMany({ include: { keys: true }, orderBy: { id: 'asc' } });
  const before = await state();
  await database.prisma.$executeRaw`ALTER TABLE audit_lines RENAME TO audit_lines_away`;
  const outcome = await run([command, ...args], input);
  await database.prisma.$executeRaw`ALTER TABLE audit_lines_away RENAME TO audit_lines`;
  expect(outcome.exitCode).toBe(1);
  expect(await state()).toEqual(before);
});

test('a line has its account and its time', async () => {
  const at = '2026-11-20T21:03:00.000Z';
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(at) });
  await add().finally(() => vi.useRealTimers());
  const [line] = await lines();
  const { id: accountId } = await database.prisma.account.findFirstOrThrow();
  expect(line).toEqual({
    at,
    operator: OPERATOR,
    command: 'add',
    accountId,
    username: USERNAME,
    details: 'Radio Uno',
  });
});

test('audit --id shows one account, also under its other usernames', async () => {
  await add();
  const { id } = await database.prisma.account.findFirstOrThrow();
  await add('radio@tres.example');
  await run(['rename', ...OF_ACCOUNT, '--to', RENAMED]);
  expect(await lines('--id', id)).toMatchObject([
    { command: 'rename' },
    { command: 'add', username: USERNAME },
  ]);
});

test('audit with an empty id shows no changes', async () => {
  await add();
  expect(await run(['audit', '--id', ''])).toEqual(done('No change matches.'));
});

test('audit without a change says so', async () => {
  expect(await run(['audit', '--username', 'nadie'])).toEqual(done('No change matches.'));
});

test('--since is the first day that counts', async () => {
  const times = ['2026-11-18T23:59:59.999Z', '2026-11-19T00:00:00.000Z'];
  const data = times.map((at) => ({ operator: OPERATOR, command: 'unlock', at: new Date(at) }));
  await database.prisma.auditLine.createMany({ data });
  expect(await lines('--since', '2026-11-19')).toMatchObject([{ at: times[1] }]);
});

test('--since takes no day of the year 0, which PostgreSQL does not have', async () => {
  expect(await run(['audit', '--since', '0000-01-01'])).toEqual(refused('It must be a day', 2));
  expect(await run(['audit', '--since', '0001-01-01'])).toEqual(done('No change matches.'));
});

test('--username shows an account under all its names', async () => {
  await add();
  await run(['rename', ...OF_ACCOUNT, '--to', RENAMED]);
  await add('radio@dos.example');
  const commands = async (username: string) =>
    (await lines('--username', username)).map(({ command }: { command: string }) => command);
  expect(await commands(RENAMED)).toEqual(['rename', 'add']);
  await run(['delete', '--username', RENAMED, '--yes']);
  for (const username of [USERNAME, RENAMED]) {
    expect(await commands(username)).toEqual(['delete', 'rename', 'add']);
  }
});

test('the operator is the user of the system before sudo', () => {
  expect(operatorName({ SUDO_USER: 'operadora-2' })).toBe('operadora-2');
  expect(operatorName({})).toBe(userInfo().username);
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(operatorName({}, nameless)).toBe(`uid ${process.getuid?.()}`);
});
