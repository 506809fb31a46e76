import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createTokenLedger } from '../../../../server/streamTokens/tokenLedger.ts';
import { done, failed, provideAccountsDatabase } from '../accountProgram.ts';

const NOW = new Date('2026-11-20T18:30:00.000Z');
const HEADER = 'company,day_utc,tokens,provider_failures\r\n';

const database = provideAccountsDatabase();
const addAccount = (id: string, company: string) =>
  database.addAccount({ id, username: `${id}@x.es`, company });
beforeEach(async () => {
  await addAccount('uno', 'Radio Uno');
  await addAccount('uno-2', 'Radio Uno');
  await addAccount('dos', 'Radio Dos, la más larga');
});

const usage = (...args: string[]) => database.run(['usage', ...args], { clock: () => NOW });
const usageCsv = async (...args: string[]) => (await usage('--csv', ...args)).output.replace(HEADER, '');

/** Records attempts at a moment. The failed ones have each of the codes. */
async function record(accountId: string, moment: string, { tokens = 0, failed = 0 }): Promise<void> {
  const ledger = createTokenLedger(database.prisma);
  const createdAt = new Date(moment);
  const issued = Array.from({ length: tokens }, (_, at) => ({ token: `token ${at}`, expiry: createdAt }));
  const failures = Array.from({ length: failed }, (_, at) =>
    at % 2 === 0 ? ('PROVIDER_UNAVAILABLE' as const) : ('PROVIDER_BAD_ANSWER' as const),
  );
  for (const outcome of [...issued, ...failures]) {
    const caller = { sessionId: randomUUID(), address: null, client: 'TOOL', keyName: null } as const;
    await ledger.record({ ...caller, accountId, createdAt, outcome });
  }
}

test('usage counts by company and day', async () => {
  await record('uno', '2026-11-19T12:00:00Z', { tokens: 7 });
  await record('uno-2', '2026-11-19T13:00:00Z', { tokens: 3, failed: 2 });
  await record('uno', '2026-11-20T12:00:00Z', { tokens: 4 });
  await record('dos', '2026-11-20T12:00:00Z', { failed: 1 });
  await record('gone', '2026-11-20T12:00:00Z', { tokens: 1 });
  const lines = [
    'COMPANY                  DAY (UTC)   TOKENS  PROVIDER FAILURES',
    'Radio Dos, la más larga  2026-11-20       0                  1',
    'Radio Uno                2026-11-19      10                  2',
    'Radio Uno                2026-11-20       4                  0',
    '(no account)             2026-11-20       1                  0',
  ];
  expect(await usage()).toEqual(done(lines.join('\n')));
  expect(await usageCsv()).toMatch(
    /^"Radio Dos, la más larga",2026-11-20,0,1\r\n.*\r\n,2026-11-20,1,0\r\n$/s,
  );
});

test('usage goes by the day in UTC', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.prisma.$executeRawUnsafe(`ALTER DATABASE ${name} SET timezone = 'Pacific/Auckland'`);
  await record('uno', '2026-11-18T23:59:59.999Z', { tokens: 1 });
  await record('uno', '2026-11-19T00:00:00.000Z', { tokens: 2 });
  expect(await usageCsv()).toBe('Radio Uno,2026-11-18,1,0\r\nRadio Uno,2026-11-19,2,0\r\n');
  expect(await usageCsv('--since', '2026-11-19')).toBe('Radio Uno,2026-11-19,2,0\r\n');
});

test('usage begins 30 days ago by default', async () => {
  await record('uno', '2026-10-20T23:59:59.999Z', { tokens: 1 });
  await record('uno', '2026-10-21T00:00:00.000Z', { tokens: 2 });
  expect(await usageCsv()).toBe('Radio Uno,2026-10-21,2,0\r\n');
  expect(await usageCsv('--since', '0001-01-01')).toContain('2026-10-20,1,0');
});

test('usage --company leaves other companies out', async () => {
  await record('uno', '2026-11-19T12:00:00Z', { tokens: 1 });
  await record('dos', '2026-11-19T12:00:00Z', { tokens: 1 });
  expect(await usageCsv('--company', 'Radio Uno')).toBe('Radio Uno,2026-11-19,1,0\r\n');
  expect(await usage('--company', 'radio uno')).toEqual(
    failed('error: no account is of that company: list shows them\n'),
  );
});

test('usage is the same once the accounts are deleted', async () => {
  await record('uno', '2026-11-19T12:00:00Z', { tokens: 2 });
  await record('uno-2', '2026-11-19T12:00:00Z', { failed: 1 });
  const before = await usage();
  for (const username of ['uno@x.es', 'uno-2@x.es']) {
    await database.run(['delete', '--yes', '--username', username]);
  }
  expect(await usage('--company', 'Radio Uno')).toEqual(before);
});

test.each([
  ['2026-11-31', 'It must be a day, as 2026-11-20.'],
  ['2026-11-21', 'It must not be in the future.'],
])('usage --since %s is wrong usage', async (day, message) => {
  const remarks = `error: option '--since <day>' argument '${day}' is invalid. ${message}\n`;
  expect(await usage('--since', day)).toEqual({ exitCode: 2, output: '', remarks });
});

test('a strange name cannot control a terminal', async () => {
  await addAccount('x', 'Radio\u001b[2J\r\nDos\u202e');
  await record('x', '2026-11-19T12:00:00Z', { tokens: 1 });
  expect((await usage()).output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
