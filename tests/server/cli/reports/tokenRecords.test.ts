import { beforeEach, expect, test } from 'vitest';
import { createTokenLedger } from '../../../../server/streamTokens/tokenLedger.ts';
import { IN_DATABASE, provideAccountsDatabase, runAccountHere } from '../accountProgram.ts';

const TOKEN = 'c2VydmVyX3RpbWU9MTE=';
const EXPIRY = new Date('2026-11-20T21:23:00.500Z');

const database = provideAccountsDatabase();
beforeEach(async () => {
  await database.prisma.account.createMany({
    data: ['uno', 'dos'].map((name) => ({
      id: `id-${name}`,
      username: `radio@${name}.example`,
      company: `Radio ${name}`,
      passwordHash: 'none',
    })),
  });
  const ledger = createTokenLedger(database.prisma);
  const common = { address: '203.0.113.9', client: 'BROWSER', keyName: null } as const;
  await ledger.record({
    ...common,
    accountId: 'id-uno',
    createdAt: new Date('2026-11-20T21:03:00.500Z'),
    outcome: { token: TOKEN, expiry: EXPIRY },
  });
  await ledger.record({
    accountId: 'id-dos',
    address: null,
    client: 'TOOL',
    keyName: 'Emisora',
    createdAt: new Date('2026-11-20T21:04:00Z'),
    outcome: 'PROVIDER_UNAVAILABLE',
  });
  await ledger.record({
    ...common,
    accountId: 'gone',
    createdAt: new Date('2026-11-19T12:00:00Z'),
    outcome: { token: 'another', expiry: EXPIRY },
  });
});

const tokens = (args: string[], input = '') =>
  runAccountHere(['tokens', ...args], { url: database.url, input });
/** The times of the lines that a command shows. */
const timesOf = async (...args: string[]) =>
  (await tokens(args)).output
    .split('\n')
    .slice(1, -1)
    .map((line) => line.slice(0, 16));

test('tokens shows who asked, when, from where and what became of it, newest first, and no token or hash', async () => {
  expect(await tokens([])).toEqual({
    exitCode: 0,
    output: [
      'TIME (UTC)                COMPANY       USERNAME           OUTCOME               ADDRESS      CLIENT   KEY      EXPIRY (UTC)',
      '2026-11-20T21:04:00.000Z  Radio dos     radio@dos.example  provider_unavailable  -            tool     Emisora  -',
      '2026-11-20T21:03:00.500Z  Radio uno     radio@uno.example  issued                203.0.113.9  browser  -        2026-11-20T21:23:00.500Z',
      '2026-11-19T12:00:00.000Z  (no account)  gone               issued                203.0.113.9  browser  -        2026-11-20T21:23:00.500Z',
      '',
    ].join('\n'),
    remarks: IN_DATABASE,
  });
});

test('as CSV it has the ids too', async () => {
  expect((await tokens(['--csv', '--company', 'Radio uno'])).output).toBe(
    'time_utc,company,username,account_id,outcome,address,client,expiry_utc,key\r\n' +
      '2026-11-20T21:03:00.500Z,Radio uno,radio@uno.example,id-uno,issued,203.0.113.9,browser,2026-11-20T21:23:00.500Z,\r\n',
  );
});

test('--from is the first moment that counts, --to the first that does not, both in UTC', async () => {
  expect(await timesOf('--from', '2026-11-20')).toEqual(['2026-11-20T21:04', '2026-11-20T21:03']);
  expect(await timesOf('--from', '2026-11-20T21:04')).toEqual(['2026-11-20T21:04']);
  expect(await timesOf('--to', '2026-11-20T21:04:00Z')).toEqual(['2026-11-20T21:03', '2026-11-19T12:00']);
  expect(await timesOf('--from', '2026-11-20T21:03:00.501', '--to', '2026-11-20T21:04')).toEqual([]);
});

test.each([
  ['a token', TOKEN],
  ['the whole address of a stream', `https://stream.example/a?b=c&wmsAuthSign=${TOKEN}`],
])('--token finds by %s on standard input who was given it', async (_what, input) => {
  const { exitCode, output } = await tokens(['--token', '--csv'], `${input}\n`);
  expect(exitCode).toBe(0);
  expect(output.split('\r\n').slice(1)).toEqual([expect.stringContaining(',id-uno,issued,'), '']);
});

test.each([
  ['strange', 'No record has that token'],
  ['', 'error: no token on standard input'],
  [`${TOKEN}\n${TOKEN}`, 'error: standard input holds more than one token'],
])('--token with %j finds nothing and says so, exit code 1', async (input, said) => {
  expect(await tokens(['--token'], input)).toEqual({
    exitCode: 1,
    output: '',
    remarks: `${IN_DATABASE}${said}\n`,
  });
});

test.each([
  ['issued', ['2026-11-20T21:03', '2026-11-19T12:00']],
  ['provider_unavailable', ['2026-11-20T21:04']],
  ['provider_bad_answer', []],
])('--outcome %s shows the lines with it alone', async (outcome, times) => {
  expect(await timesOf('--outcome', outcome)).toEqual(times);
  expect((await tokens(['--csv', '--outcome', outcome])).output.split('\r\n')).toHaveLength(2 + times.length);
});

test.each([
  [
    ['--outcome', 'lost'],
    /'lost' is invalid. Allowed choices are issued, provider_unavailable, provider_bad_answer/,
  ],
  [['--from', '2026-11-21', '--to', '2026-11-20'], /^error: --from must not be after --to$/],
])('%j is wrong usage', async (args, message) => {
  const { exitCode, remarks } = await tokens(args);
  expect({ exitCode, remarks: remarks.trim() }).toEqual({
    exitCode: 2,
    remarks: expect.stringMatching(message),
  });
});

test('the lines of a deleted account still name its company and username', async () => {
  const before = (await tokens(['--company', 'Radio uno'])).output;
  expect(
    await runAccountHere(['delete', '--yes', '--username', 'radio@uno.example'], database),
  ).toMatchObject({
    exitCode: 0,
  });
  expect((await tokens(['--company', 'Radio uno'])).output).toBe(before);
  expect((await tokens(['--token', '--csv'], TOKEN)).output).toContain(
    ',Radio uno,radio@uno.example,id-uno,',
  );
});

test('an account imported again with its old id has its lines, under its new names alone', async () => {
  await runAccountHere(['delete', '--yes', '--username', 'radio@uno.example'], database);
  const row = { id: 'id-uno', username: 'radio@otra.example', password: 'secreto', company: 'Radio Otra' };
  await runAccountHere(['import', '-'], { url: database.url, input: JSON.stringify([row]) });
  expect((await tokens(['--csv', '--company', 'Radio Otra'])).output).toContain(
    ',radio@otra.example,id-uno,',
  );
  expect((await tokens(['--company', 'Radio uno'])).exitCode).toBe(1);
});

test('more than a thousand are not shown, and that is said', async () => {
  await database.prisma.$executeRaw`
    INSERT INTO token_records (id, account_id, outcome, client)
    SELECT gen_random_uuid(), 'id-uno', 'PROVIDER_BAD_ANSWER', 'TOOL' FROM generate_series(1, 1000)`;
  const { output, remarks } = await tokens([]);
  expect(output.split('\n').slice(1, -1)).toHaveLength(1000);
  expect(remarks).toBe(`${IN_DATABASE}These are the newest 1000 only: --from and --to show others\n`);
});

test.each(['ayer', '2026-11-31', '2026-11-20T24:00', ''])('from %j is wrong usage', async (time) => {
  const { exitCode, remarks } = await tokens(['--from', time]);
  expect(exitCode).toBe(2);
  expect(remarks).toContain('It must be a day or a moment in UTC');
});

test('an unknown company is refused', async () => {
  expect(await tokens(['--company', 'Radio Tres'])).toMatchObject({
    exitCode: 1,
    remarks: `${IN_DATABASE}error: no account is of that company: list shows them\n`,
  });
});
