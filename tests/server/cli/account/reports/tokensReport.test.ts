import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createTokenLedger } from '../../../../../server/streamTokens/tokenLedger.ts';
import { done, provideAccountsDatabase, refused } from '../../runAccount.ts';

const TOKEN = 'c2VydmVyX3RpbWU9MTE=';
const SIGNS = 'abc+/cd+e/+f==';
const ADDRESS = `https://stream.example/a?wmsAuthSign=${SIGNS}`;
const NUMBERS = Array.from({ length: 1_000 }, (_, index) => String(index));
/** Read in each of the ways in which a log may write an address, every `=` could be followed by a token. */
const MANY_FORMS = Array.from({ length: 19 }, (_, index) => `${'x='.repeat(96)}%41 b=3Dz${index} &`).join('');
const UNO = 'radio@uno.example';

const database = provideAccountsDatabase();
beforeEach(async () => {
  await database.addAccount({ id: 'id-uno', username: UNO, company: 'Radio uno' });
  await database.addAccount({ id: 'id-dos', username: 'radio@dos.example', company: 'Radio dos' });
  const ledger = createTokenLedger(database.prisma);
  const issued = (token: string) => ({ token, expiry: new Date('2026-11-20T21:23:00.500Z') });
  const callerId = randomUUID();
  const browser = { address: '203.0.113.9', client: 'BROWSER', keyName: null, callerId } as const;
  const player = { address: null, client: 'PLAYER', keyName: 'Emisora', callerId } as const;
  for (const [accountId, createdAt, caller, outcome] of [
    ['id-uno', '2026-11-20T21:03:00.500Z', browser, issued(TOKEN)],
    ['id-dos', '2026-11-20T21:04:00Z', player, 'PROVIDER_UNAVAILABLE'],
    ['gone', '2026-11-19T12:00:00Z', browser, issued(SIGNS)],
  ] as const) {
    await ledger.record({ ...caller, accountId, createdAt: new Date(createdAt), outcome });
  }
});

const tokens = (args: string[], input: string | Buffer = '') => database.run(['tokens', ...args], { input });
const timesOf = async (...args: string[]) =>
  (await tokens(args)).output
    .split('\n')
    .slice(1, -1)
    .map((line) => line.slice('2026-11-'.length, '2026-11-20T21:03'.length))
    .join(' ');

test('tokens shows the newest first', async () => {
  expect(await tokens([])).toEqual(
    done(
      [
        'TIME (UTC)                COMPANY       USERNAME           OUTCOME               ADDRESS      CLIENT   KEY      EXPIRY (UTC)',
        '2026-11-20T21:04:00.000Z  Radio dos     radio@dos.example  provider_unavailable  -            player   Emisora  -',
        '2026-11-20T21:03:00.500Z  Radio uno     radio@uno.example  issued                203.0.113.9  browser  -        2026-11-20T21:23:00.500Z',
        '2026-11-19T12:00:00.000Z  (no account)  gone               issued                203.0.113.9  browser  -        2026-11-20T21:23:00.500Z',
      ].join('\n'),
    ),
  );
});

test('tokens --csv=plain has the ids too', async () => {
  expect((await tokens(['--csv=plain'])).output.split('\r\n')).toEqual([
    'time_utc,company,username,account_id,outcome,address,client,expiry_utc,key',
    '2026-11-20T21:04:00.000Z,Radio dos,radio@dos.example,id-dos,provider_unavailable,,player,,Emisora',
    '2026-11-20T21:03:00.500Z,Radio uno,radio@uno.example,id-uno,issued,203.0.113.9,browser,2026-11-20T21:23:00.500Z,',
    '2026-11-19T12:00:00.000Z,,,gone,issued,203.0.113.9,browser,2026-11-20T21:23:00.500Z,',
    '',
  ]);
});

test('tokens --csv is for a spreadsheet in Spanish', async () => {
  expect((await tokens(['--csv'])).output).toMatch(/^time_utc;company;/);
  expect(await tokens(['--csv=excel'])).toEqual(refused('plain', 2));
});

test.each([
  ['--from 2026-11-20', '20T21:04 20T21:03'],
  ['--to 2026-11-20T21:04:00Z', '20T21:03 19T12:00'],
  ['--from 2026-11-20T21:03:00.501 --to 2026-11-20T21:04', ''],
  ['--outcome issued', '20T21:03 19T12:00'],
])('tokens %s shows the lines at %j', async (options, times) => {
  expect(await timesOf(...options.split(' '))).toBe(times);
});

test('tokens --company shows all accounts of a company alone', async () => {
  await database.addAccount({ id: 'gone', username: 'radio@tres.example', company: 'Radio dos' });
  expect(await timesOf('--company', 'Radio dos')).toBe('20T21:04 19T12:00');
});

test.each([
  ['a token', TOKEN],
  ['the whole address of a stream', `https://stream.example/a?b=c&wmsAuthSign=${TOKEN}`],
  ['an address in a log', `"https://stream.example/a?wmsAuthSign=${TOKEN.replace('=', '%3D')}",`],
  ['an address that was encoded twice', `wmsAuthSign%3D${TOKEN.replace('=', '%253D')}`],
  ['an address in HTML', `https://stream.example/a?b=c&amp;wmsAuthSign=${TOKEN.replace('=', '&#x3D;')}`],
  ['a token without its last sign', TOKEN.replace('=', '')],
  ['an address with a parameter behind it', `https://stream.example/a?wmsAuthSign=${TOKEN}&icy=1`],
])('tokens --token finds by %s who was given it', async (_what, input) => {
  const { output } = await tokens(['--token', '--csv=plain'], `${input}\n`);
  expect(output.split('\r\n').slice(1)).toEqual([expect.stringContaining(',id-uno,issued,'), '']);
});

test.each([
  ['with a fragment', `${ADDRESS}#t=1`],
  ['in JSON of PHP', JSON.stringify({ url: ADDRESS }).replaceAll('/', '\\/')],
  ['in JSON with escaped signs', JSON.stringify({ url: ADDRESS }).replaceAll('=', '\\u003d')],
  ['in JSON within JSON', JSON.stringify(JSON.stringify({ url: ADDRESS }).replaceAll('/', '\\/'))],
  ['in mail', `Mira ${ADDRESS.replaceAll('=', '=3D').replace('cd', 'c=\r\nd')} y escucha`],
  ['in an access log', `10.0.0.1 - - [20/Nov/2026] "GET /a?wmsAuthSign=${SIGNS} HTTP/1.1" 200 5`],
  ['in a command', `curl '${ADDRESS}' -o x`],
  ['in Markdown', `[aquí](${ADDRESS}).`],
  ['wrapped by a terminal', ADDRESS.replace('cd', 'c\nd')],
  ['whose plus signs were decoded to blanks', ADDRESS.replaceAll('+', ' ')],
])('tokens --token finds an address %s', async (_what, input) => {
  const { output } = await tokens(['--token', '--csv=plain'], `${input}\n`);
  expect(output.split('\r\n').slice(1)).toEqual([expect.stringContaining(',gone,issued,'), '']);
});

test.each([
  ['a token of nobody', 'strange', 'No record has that token'],
  ["a tool's key", `aop_tool_${'x'.repeat(43)}`, 'holds a key, not a token'],
  ["a player's address", `https://audio.example/live/aop_live_${'x'.repeat(43)}`, 'holds a key, not a token'],
  ['nothing', '', 'no token'],
  ['quotation marks alone', '" "', 'no token'],
  ['a whole log', `${SIGNS} `.repeat(1_000), 'more than 4000 characters'],
  ['too many parts in each form', MANY_FORMS, 'too many possible tokens'],
  ['a thousand words', NUMBERS.join(' '), 'No record has that token'],
  ['a thousand parts', NUMBERS.join('='), 'No record has that token'],
])('tokens --token fails with %s', async (_what, input, said) => {
  expect(await tokens(['--token'], input)).toEqual(refused(said));
});

test.each([
  [['--outcome', 'lost'], '--outcome'],
  [['--from', '2026-11-21', '--to', '2026-11-20'], '--from must not be after --to'],
  [['--from', '2026-11-31'], '--from'],
])('tokens %j is wrong usage', async (args, message) => {
  expect(await tokens(args)).toEqual(refused(message, 2));
});

test('lines of a deleted account keep its names', async () => {
  const before = await tokens(['--company', 'Radio uno']);
  await database.run(['delete', '--yes', '--username', UNO]);
  expect(await tokens(['--company', 'Radio uno'])).toEqual(before);
});

test('an account imported again has its lines under its new names alone', async () => {
  await database.run(['delete', '--yes', '--username', UNO]);
  const row = { id: 'id-uno', username: 'radio@otra.example', password: 'secreto', company: 'Radio Otra' };
  await database.run(['import', '-'], { input: JSON.stringify([row]) });
  expect((await tokens(['--company', 'Radio Otra'])).output).toContain('  radio@otra.example  issued');
  expect(await tokens(['--company', 'Radio uno'])).toEqual(refused('no account belongs to that company'));
});

test('tokens --token refuses UTF-16 by that name', async () => {
  const saved = Buffer.from(`\uFEFF${ADDRESS}\r\n`, 'utf16le');
  expect(await tokens(['--token'], saved)).toMatchObject({
    exitCode: 1,
    remarks: expect.stringContaining('is not UTF-8 text but UTF-16'),
  });
});

test('tokens without a record says so', async () => {
  expect(await tokens(['--outcome', 'provider_bad_answer'])).toEqual(done('No record matches.'));
});

test('tokens shows a thousand at most', async () => {
  await database.prisma.$executeRaw`
    INSERT INTO token_records (id, account_id, outcome, client)
    SELECT gen_random_uuid(), 'id-uno', 'PROVIDER_BAD_ANSWER', 'TOOL' FROM generate_series(1, 1000)`;
  const { output, remarks } = await tokens([]);
  expect(output.split('\n').slice(1, -1)).toHaveLength(1000);
  expect(remarks).toContain('newest 1000 only');
});
