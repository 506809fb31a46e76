import { describe, expect, test } from 'vitest';
import { createTokenLedger } from '../../../../server/streamTokens/tokenLedger.ts';
import { IN_DATABASE, type Outcome, provideAccountsDatabase, runAccountHere } from '../accountProgram.ts';

const NOW = new Date('2026-11-20T18:30:00.000Z');

const database = provideAccountsDatabase();

const usage = (...args: string[]): Promise<Outcome> =>
  runAccountHere(['usage', ...args], { url: database.url, clock: () => NOW });

async function account(company: string, username = `${company}@x.es`): Promise<string> {
  const { id } = await database.prisma.account.create({
    data: { username, company, passwordHash: 'not a hash' },
  });
  return id;
}

/** Records attempts at a moment. The failed ones have each of the codes. */
async function record(accountId: string, moment: string, { tokens = 0, failed = 0 }): Promise<void> {
  const ledger = createTokenLedger(database.prisma);
  const at = new Date(moment);
  for (let index = 0; index < tokens + failed; index += 1) {
    await ledger.record({
      accountId,
      address: null,
      client: 'TOOL',
      keyName: null,
      createdAt: at,
      outcome:
        index < tokens
          ? { token: `token ${index}`, expiry: at }
          : index % 2 === 0
            ? 'PROVIDER_UNAVAILABLE'
            : 'PROVIDER_BAD_ANSWER',
    });
  }
}

describe('usage', () => {
  test('shows the tokens by company and day, the failures of the provider beside them', async () => {
    const [uno, unoToo] = [await account('Radio Uno'), await account('Radio Uno', 'otra@uno.example')];
    const dos = await account('Radio Dos, la más larga');
    await record(uno, '2026-11-19T12:00:00Z', { tokens: 7 });
    await record(unoToo, '2026-11-19T13:00:00Z', { tokens: 3, failed: 2 });
    await record(uno, '2026-11-20T12:00:00Z', { tokens: 40 });
    await record(dos, '2026-11-20T12:00:00Z', { failed: 1 });
    expect(await usage()).toEqual({
      exitCode: 0,
      output: [
        'COMPANY                  DAY (UTC)   TOKENS  PROVIDER FAILURES',
        'Radio Dos, la más larga  2026-11-20       0                  1',
        'Radio Uno                2026-11-19      10                  2',
        'Radio Uno                2026-11-20      40                  0',
        '',
      ].join('\n'),
      remarks: IN_DATABASE,
    });
  });

  test('of nothing is a table of none, and a CSV of a header', async () => {
    expect((await usage()).output).toBe('COMPANY  DAY (UTC)  TOKENS  PROVIDER FAILURES\n');
    expect((await usage('--csv')).output).toBe('company,day_utc,tokens,provider_failures\r\n');
  });

  test('goes by the day in UTC, wherever the database and the operator are', async () => {
    const uno = await account('Radio Uno');
    const name = new URL(database.url).pathname.slice(1);
    await database.prisma.$executeRawUnsafe(`ALTER DATABASE ${name} SET timezone = 'Pacific/Auckland'`);
    await record(uno, '2026-11-18T23:59:59.999Z', { tokens: 1 });
    await record(uno, '2026-11-19T00:00:00.000Z', { tokens: 2 });
    expect((await usage('--csv')).output).toBe(
      'company,day_utc,tokens,provider_failures\r\nRadio Uno,2026-11-18,1,0\r\nRadio Uno,2026-11-19,2,0\r\n',
    );
    expect((await usage('--csv', '--since', '2026-11-19')).output).toBe(
      'company,day_utc,tokens,provider_failures\r\nRadio Uno,2026-11-19,2,0\r\n',
    );
  });

  test('begins 30 days ago unless told otherwise', async () => {
    const uno = await account('Radio Uno');
    await record(uno, '2026-10-20T23:59:59.999Z', { tokens: 1 });
    await record(uno, '2026-10-21T00:00:00.000Z', { tokens: 2 });
    expect((await usage('--csv')).output).toContain('\r\nRadio Uno,2026-10-21,2,0\r\n');
    expect((await usage('--csv')).output).not.toContain('2026-10-20');
    expect((await usage('--csv', '--since', '0001-01-01')).output).toContain('2026-10-20,1,0');
  });

  test('of one company is of no other', async () => {
    await record(await account('Radio Uno'), '2026-11-19T12:00:00Z', { tokens: 1 });
    await record(await account('Radio Uno Más'), '2026-11-19T12:00:00Z', { tokens: 1 });
    await account("Radio d'Or %");
    expect((await usage('--csv', '--company', 'Radio Uno')).output).toBe(
      'company,day_utc,tokens,provider_failures\r\nRadio Uno,2026-11-19,1,0\r\n',
    );
    expect((await usage('--csv', '--company', "Radio d'Or %")).output).toBe(
      'company,day_utc,tokens,provider_failures\r\n',
    );
  });

  test('of an unknown company is refused', async () => {
    await account('Radio Uno');
    expect(await usage('--company', 'radio uno')).toEqual({
      exitCode: 1,
      output: '',
      remarks: `${IN_DATABASE}error: no account is of that company: list shows them\n`,
    });
  });

  test('is the same once the accounts are deleted', async () => {
    await record(await account('Radio Uno', 'radio@uno.example'), '2026-11-19T12:00:00Z', { tokens: 2 });
    await record(await account('Radio Uno', 'otra@uno.example'), '2026-11-19T12:00:00Z', { failed: 1 });
    const before = await usage();
    for (const username of ['radio@uno.example', 'otra@uno.example']) {
      await runAccountHere(['delete', '--yes', '--username', username], database);
      expect(await usage()).toEqual(before);
      expect(await usage('--company', 'Radio Uno')).toEqual(before);
    }
  });

  test('has a line for accounts that nothing is known of', async () => {
    await record(await account('Radio Uno'), '2026-11-19T12:00:00Z', { tokens: 1 });
    await record('gone', '2026-11-19T12:00:00Z', { tokens: 2, failed: 1 });
    const { output } = await usage();
    expect(output.split('\n').slice(1)).toEqual([
      'Radio Uno     2026-11-19       1                  0',
      '(no account)  2026-11-19       2                  1',
      '',
    ]);
    expect((await usage('--csv')).output).toContain('\r\n,2026-11-19,2,1\r\n');
  });

  test.each([
    ['ayer', 'It must be a day, as 2026-11-20.'],
    ['2026-11-31', 'It must be a day, as 2026-11-20.'],
    ['2026-11-20T10:00', 'It must be a day, as 2026-11-20.'],
    ['2026-11-21', 'It must not be in the future.'],
  ])('since %j is wrong usage: %s', async (day, message) => {
    expect(await usage('--since', day)).toEqual({
      exitCode: 2,
      output: '',
      remarks: `error: option '--since <day>' argument '${day}' is invalid. ${message}\n`,
    });
  });
});

describe('a company whose name is strange', () => {
  test.each([
    ['Radio "Uno"', '"Radio ""Uno"""'],
    ['=HYPERLINK("http://x.example")', `"'=HYPERLINK(""http://x.example"")"`],
    ['Radio\u001b[2J\r\nDos\u202e', 'Radio\\u001b[2J\\u000d\\u000aDos\\u202e'],
  ])('%j is harmless to spreadsheets and terminals', async (company, field) => {
    await record(await account(company, 'radio@uno.example'), '2026-11-19T12:00:00Z', { tokens: 1 });
    expect((await usage('--csv')).output).toBe(
      `company,day_utc,tokens,provider_failures\r\n${field},2026-11-19,1,0\r\n`,
    );
    for (const command of ['usage', 'list']) {
      const { output } = await runAccountHere([command], { url: database.url, clock: () => NOW });
      expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(output.split('\n')).toHaveLength(3);
    }
  });
});
