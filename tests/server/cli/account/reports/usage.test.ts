import { beforeEach, expect, test } from 'vitest';
import { newRecordId } from '../../../../../server/database/recordId.ts';
import { done, provideAccountsDatabase, refused } from '../../runAccount.ts';

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
const usageCsv = async (...args: string[]) =>
  (await usage('--csv=plain', ...args)).output.replace(HEADER, '');

async function record(accountId: string, moment: string, { tokens = 0, failed = 0 }): Promise<void> {
  const createdAt = new Date(moment);
  await database.prisma.tokenRecord.createMany({
    data: Array.from({ length: tokens + failed }, (_, at) => ({
      id: newRecordId(createdAt),
      accountId,
      createdAt,
      outcome: at < tokens ? 'ISSUED' : at % 2 ? 'PROVIDER_UNAVAILABLE' : 'PROVIDER_BAD_ANSWER',
      client: 'TOOL',
    })),
  });
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
});

test('usage --company leaves other companies out, also once its accounts are deleted', async () => {
  await record('uno', '2026-11-19T12:00:00Z', { tokens: 2 });
  await record('uno-2', '2026-11-19T12:00:00Z', { failed: 1 });
  await record('dos', '2026-11-19T12:00:00Z', { tokens: 1 });
  const ofUno = 'Radio Uno,2026-11-19,2,1\r\n';
  expect(await usageCsv('--company', 'Radio Uno')).toBe(ofUno);
  for (const id of ['uno', 'uno-2']) await database.run(['delete', '--yes', '--id', id]);
  expect(await usageCsv('--company', 'Radio Uno')).toBe(ofUno);
});

test('usage --company refuses a company without accounts', async () => {
  expect(await usage('--company', 'radio uno')).toEqual(refused('no account belongs to that company'));
});

test.each(['2026-11-31', '2026-11-21'])('usage --since %s is wrong usage', async (day) => {
  expect(await usage('--since', day)).toEqual(refused('--since', 2));
});

test('a strange name cannot control a terminal', async () => {
  await addAccount('x', 'Radio\u001b[2J\r\nDos\u202e');
  await record('x', '2026-11-19T12:00:00Z', { tokens: 1 });
  expect((await usage()).output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
