import { userInfo } from 'node:os';
import { expect, test, vi } from 'vitest';
import { operatorName } from '../../../server/cli/audit.ts';
import {
  IN_DATABASE,
  OPERATOR,
  type Outcome,
  provideAccountsDatabase,
  runAccountHere,
  runAccountProcess,
} from './accountProgram.ts';

const USERNAME = 'radio@uno.example';
const RENAMED = 'radio@nueva.example';
const OF_ACCOUNT = ['--username', USERNAME];
const PASSWORD = 'canario-secreto';

const database = provideAccountsDatabase();

const run = (args: string[], input = ''): Promise<Outcome> =>
  runAccountHere(args, { url: database.url, input });
const add = () => run(['add', ...OF_ACCOUNT, '--company', 'Radio Uno'], PASSWORD);
const lines = async () => JSON.parse((await run(['audit', '--json'])).output);

test('each command that changes something has a line, newest first: when, who, what, of whom, and no password', async () => {
  await add();
  await run(['set-password', ...OF_ACCOUNT], `${PASSWORD}-2`);
  await run(['add-key', ...OF_ACCOUNT, '--name', 'recorder']);
  await run(['revoke-key', ...OF_ACCOUNT, '--name', 'recorder']);
  for (const command of ['disable', 'enable', 'unlock']) await run([command, ...OF_ACCOUNT]);
  await run(['rename', ...OF_ACCOUNT, '--to', RENAMED]);
  await run(['delete', '--username', RENAMED, '--yes']);
  const rows = ['uno', 'dos'].map((name) => ({
    id: name,
    username: `radio@${name}`,
    password: PASSWORD,
    company: 'Radio',
  }));
  await run(['import', '-'], JSON.stringify([...rows, { id: 'tres' }]));

  const { exitCode, output, remarks } = await run(['audit']);
  expect({ exitCode, remarks }).toEqual({ exitCode: 0, remarks: IN_DATABASE });
  expect(output).not.toContain('canario');
  const [headings, ...table] = output.trimEnd().split('\n');
  expect(headings).toBe('TIME (UTC)                OPERATOR   COMMAND       USERNAME             DETAILS');
  expect(table.map((line) => line.slice('2026-11-20T21:04:00.000Z  '.length))).toEqual([
    'operadora  import        -                    2 added, 0 already there, 1 refused',
    'operadora  delete        radio@nueva.example  Radio Uno',
    'operadora  rename        radio@uno.example    to radio@nueva.example',
    'operadora  unlock        radio@uno.example',
    'operadora  enable        radio@uno.example',
    'operadora  disable       radio@uno.example',
    'operadora  revoke-key    radio@uno.example    recorder',
    expect.stringMatching(/^operadora {2}add-key {7}radio@uno.example {4}recorder, tool, until .*Z$/),
    'operadora  set-password  radio@uno.example',
    'operadora  add           radio@uno.example    Radio Uno',
  ]);
  const times = table.map((line) => line.split(' ')[0] ?? '');
  expect(times).toEqual(times.toSorted().toReversed());
});

test('as JSON a line has the id of the account too, which a new username leaves as it is', async () => {
  await add();
  const { id } = await database.prisma.account.findUniqueOrThrow({ where: { username: USERNAME } });
  await run(['rename', ...OF_ACCOUNT, '--to', RENAMED]);
  const common = { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), operator: OPERATOR, accountId: id };
  expect(await lines()).toEqual([
    { ...common, command: 'rename', username: USERNAME, details: `to ${RENAMED}` },
    { ...common, command: 'add', username: USERNAME, details: 'Radio Uno' },
  ]);
});

test('a command that changes nothing (refused, declined, nothing to do) has no line', async () => {
  await add();
  const [line] = await lines();
  await add();
  await run(['set-password', ...OF_ACCOUNT], 'corta');
  await run(['enable', ...OF_ACCOUNT]);
  await run(['rename', ...OF_ACCOUNT, '--to', USERNAME]);
  await run(['rename', ...OF_ACCOUNT, '--to', 'corto']);
  await run(['unlock', '--username', 'nadie@uno.example']);
  await run(['delete', ...OF_ACCOUNT]);
  await run(['import', '-'], '[]');
  for (const command of ['list', 'usage', 'tokens']) await run([command]);
  expect(await lines()).toEqual([line]);
});

test.each([
  ['add', '--company', 'Radio Dos'],
  ['set-password'],
  ['disable'],
  ['enable'],
  ['unlock'],
  ['rename', '--to', RENAMED],
  ['delete', '--yes'],
  ['add-key', '--name', 'recorder'],
  ['revoke-key', '--name', 'codec'],
  ['import', '-'],
])('without its line there is no change either: %s', async (command, ...options) => {
  await add();
  await run(['add-key', ...OF_ACCOUNT, '--name', 'codec']);
  if (command === 'enable') await run(['disable', ...OF_ACCOUNT]);
  const state = () => database.prisma.account.findMany({ include: { keys: true } });
  const before = await state();
  await database.prisma.$executeRaw`ALTER TABLE audit_lines RENAME TO audit_lines_away`;
  try {
    const username = command === 'add' ? 'radio@dos.example' : USERNAME;
    const row = { id: 'dos', username: 'radio@dos.example', password: PASSWORD, company: 'Radio Dos' };
    const [args, input] =
      command === 'import'
        ? [[command, ...options], JSON.stringify([row])]
        : [[command, ...options, '--username', username], PASSWORD];
    expect(await run(args, input)).toMatchObject({ exitCode: 1 });
  } finally {
    await database.prisma.$executeRaw`ALTER TABLE audit_lines_away RENAME TO audit_lines`;
  }
  expect(await state()).toEqual(before);
});

test("a line has the time of the database, even if the machine's clock is wrong", async () => {
  await add();
  const [row] = await database.prisma.$queryRaw<[{ isNow: boolean }]>`
    SELECT bool_and(at BETWEEN now() - interval '1 minute' AND now()) AS "isNow" FROM audit_lines`;
  expect(row.isNow).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2020-01-01') });
  try {
    await run(['unlock', ...OF_ACCOUNT]);
  } finally {
    vi.useRealTimers();
  }
  const [{ command, at }] = await lines();
  expect([command, at > '2026']).toEqual(['unlock', true]);
});

test('--since is the first day that counts', async () => {
  const line = { operator: OPERATOR, command: 'unlock' };
  const at = ['2026-11-18T23:59:59.999Z', '2026-11-19T00:00:00.000Z'].map((time) => new Date(time));
  await database.prisma.auditLine.createMany({ data: at.map((time) => ({ ...line, at: time })) });
  const since = async (day: string) =>
    runAccountHere(['audit', '--since', day], {
      url: database.url,
      clock: () => new Date('2026-11-20T12:00:00Z'),
    });
  expect((await since('2026-11-19')).output.split('\n').slice(1)).toEqual([
    '2026-11-19T00:00:00.000Z  operadora  unlock   -',
    '',
  ]);
  expect((await since('2026-11-18')).output.split('\n')).toHaveLength(4);
  expect((await since('2026-11-21')).remarks).toContain('It must not be in the future.');
  expect(await since('ayer')).toMatchObject({ exitCode: 2 });
});

test('--username shows the changes of one account, also under its earlier names', async () => {
  await add();
  await run(['rename', ...OF_ACCOUNT, '--to', RENAMED]);
  await run(['add', '--username', 'radio@dos.example', '--company', 'Radio Dos'], PASSWORD);
  const commands = async (username: string) => {
    const { output } = await run(['audit', '--username', username, '--json']);
    return JSON.parse(output).map(({ command }: { command: string }) => command);
  };
  expect(await commands(RENAMED)).toEqual(['rename', 'add']);
  await run(['delete', '--username', RENAMED, '--yes']);
  for (const username of [USERNAME, RENAMED]) {
    expect(await commands(username)).toEqual(['delete', 'rename', 'add']);
  }
  expect(await commands('nadie@uno.example')).toEqual([]);
});

test('strange names and details cannot control a terminal', async () => {
  const strange = 'Radio\u001b[2J\r\nDos\u202e';
  await database.prisma.auditLine.create({
    data: { operator: strange, command: 'add', username: strange, details: strange },
  });
  const { output } = await run(['audit']);
  expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(output.split('\n')).toHaveLength(3);
});

test('the operator is the user of the operating system, before sudo where it was used', async () => {
  const env = { DATABASE_URL: database.url };
  const args = ['add', ...OF_ACCOUNT, '--company', 'Radio Uno', '--generate'];
  await runAccountProcess(args, { env });
  await runAccountProcess(['unlock', ...OF_ACCOUNT], { env: { ...env, SUDO_USER: 'operadora-2' } });
  expect((await lines()).map(({ operator }: { operator: string }) => operator)).toEqual([
    'operadora-2',
    userInfo().username,
  ]);
});

test('the operator of a container that runs without a user name is a number', () => {
  vi.spyOn(process, 'getuid').mockReturnValue(10001);
  expect(
    operatorName({}, () => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    }),
  ).toBe('uid 10001');
  vi.restoreAllMocks();
});
