import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { verifyPassword } from '../../../../server/signIn/password.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { done, failed, provideAccountsDatabase } from '../accountProgram.ts';

const ROWS = ['uno', 'dos', 'tres'].map((name) => ({
  id: `id-${name}`,
  username: `radio@${name}.example`,
  password: `secreto-${name}`,
  company: `Radio ${name}`,
}));
const GOOD = { id: 'b', username: 'radio@b.example', password: 'hunter2', company: 'Radio B' };
const LEFT_AS_THEY_ARE = 'Accounts already there were left as they are, their passwords too.\n';

const database = provideAccountsDatabase();

const linesOf = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const accounts = () => database.prisma.account.findMany({ orderBy: { id: 'asc' } });

/** Imports from standard input. */
const run = (input: string | PassThrough) => database.run(['import', '-'], { input });

function manyRows(count: number) {
  return Array.from({ length: count }, (_, row) => ({
    ...GOOD,
    id: `id-${row}`,
    username: `radio-${row}@x`,
  }));
}

/** Stores the first of `manyRows`, with a text instead of a hash. */
async function storeFirst(count: number): Promise<void> {
  const data = manyRows(count).map(({ password, ...row }) => ({ ...row, passwordHash: 'kept' }));
  await database.prisma.account.createMany({ data });
}

describe('importing', () => {
  test('a file adds its accounts under their ids', async () => {
    const folder = temporaryFolder({ 'export.json': JSON.stringify(ROWS, null, 2) });
    const outcome = await database.run(['import', path.join(folder, 'export.json')]);
    expect(outcome).toEqual(done('3 added, 0 already there, 0 refused'));
    for (const { id, username, password, company } of ROWS) {
      const account = await database.prisma.account.findUniqueOrThrow({ where: { id } });
      expect(account).toMatchObject({ username, company, disabled: false });
      expect(await verifyPassword(account.passwordHash, password)).toBe(true);
    }
  });

  test('again changes nothing', async () => {
    await run(linesOf(ROWS));
    const before = await accounts();
    const changed = ROWS.map((row) => ({ ...row, password: 'otra-clave', company: 'Otra' }));
    expect(await run(linesOf(changed))).toEqual(
      done('0 added, 3 already there, 0 refused', LEFT_AS_THEY_ARE),
    );
    expect(await accounts()).toEqual(before);
  });

  test('remarks on a username with a space at an end', async () => {
    expect(await run(linesOf([{ ...GOOD, username: 'radio@uno.example ', role: 'partner' }]))).toEqual(
      done(
        '1 added, 0 already there, 0 refused',
        'line 1: username begins or ends with a space, which must be typed too when signing in\n',
      ),
    );
    expect(await accounts()).toMatchObject([{ username: 'radio@uno.example ' }]);
  });

  test('the same file twice at once adds each account once', async () => {
    const rows = manyRows(4);
    const outcomes = await Promise.all([run(linesOf(rows)), run(linesOf(rows))]);
    const added = outcomes.map(({ output }) => Number.parseInt(output, 10));
    expect(outcomes.map(({ output }) => output)).toEqual(
      added.map((count) => `${count} added, ${rows.length - count} already there, 0 refused\n`),
    );
    expect(await database.prisma.account.count()).toBe(rows.length);
  });

  test('is refused where the export has no row', async () => {
    expect(await run('[]\n')).toEqual(
      failed(
        'error: the export has no row, so nothing was imported: check the command or file that it comes from\n',
      ),
    );
  });

  test('is refused beyond 20 MB', async () => {
    const input = new PassThrough();
    input.write(linesOf(ROWS));
    input.end(Buffer.alloc(20_000_000, ' '));
    const outcome = await run(input);
    expect(outcome.remarks).toMatch(/error: the export is larger than 20 MB, so nothing was imported: /);
    expect(await accounts()).toEqual([]);
  });

  test('names a file that is not there', async () => {
    const file = path.join(temporaryFolder(), 'none.json');
    expect(await database.run(['import', file])).toEqual(
      failed(`error: the export cannot be read: ENOENT: no such file or directory, open '${file}'\n`),
    );
  });

  test('goes on when it was interrupted', async () => {
    await storeFirst(99);
    const interruption = new AbortController();
    // The remark about the first row comes while the first hundred rows are settled.
    const onRemark = (text: string) => text.startsWith('line 1:') && interruption.abort();
    const input = linesOf([{}, ...manyRows(100)]);
    expect(await database.run(['import', '-'], { input, interruption, onRemark })).toMatchObject({
      exitCode: 130,
      output: '0 added, 99 already there, 1 refused\n',
      remarks: expect.stringMatching(/company is missing\ninterrupted\n$/),
    });
    expect(await run(input)).toMatchObject({
      exitCode: 1,
      output: '1 added, 99 already there, 1 refused\n',
    });
  });
});

describe('a row is refused', () => {
  test('that breaks a rule', async () => {
    const rows: Array<[row: unknown, fault: string]> = [
      [{}, 'id is missing; username is missing; password is missing; company is missing'],
      [['hunter2'], 'not a JSON object'],
      [{ ...GOOD, id: ' '.repeat(1501) }, 'id is blank'],
      [{ ...GOOD, id: 'x'.repeat(1501) }, 'id is longer than 1500 bytes'],
      [{ ...GOOD, username: '       ' }, 'username is blank'],
      [{ ...GOOD, username: 'x'.repeat(33) }, 'username is longer than 32 characters'],
      [{ ...GOOD, password: null }, 'password is not text'],
      [{ ...GOOD, company: 'x'.repeat(201) }, 'company is longer than 200 characters'],
      [{ ...GOOD, password: 'hunter2\u0000' }, 'password contains control characters or damaged text'],
    ];
    const remarks = rows.map(([, fault], index) => `line ${index + 1}: ${fault}\n`);
    expect(await run(linesOf([...rows.map(([row]) => row), GOOD]))).toEqual(
      failed(remarks.join(''), '1 added, 0 already there, 9 refused\n'),
    );
  });

  test('that has the id or the username of an earlier row', async () => {
    await storeFirst(250);
    const doubles = [
      { ...GOOD, id: 'id-0' },
      { ...GOOD, username: 'radio-120@x' },
      { ...GOOD, id: 'id-7', username: 'radio-3@x' },
      GOOD,
    ];
    const remarks = [
      'line 251: same id as line 1',
      'line 252: same username as line 121',
      'line 253: same id as line 8',
      LEFT_AS_THEY_ARE,
    ];
    expect(await run(linesOf([...manyRows(250), ...doubles]))).toEqual(
      failed(remarks.join('\n'), '1 added, 250 already there, 3 refused\n'),
    );
  });

  test('that has the id or the username of another account', async () => {
    await storeFirst(2);
    const before = await accounts();
    const rows = [
      { ...GOOD, id: 'id-0' },
      { ...GOOD, username: 'radio-1@x' },
    ];
    const remarks =
      'line 1: id belongs to an account with another username\n' +
      'line 2: username belongs to an account with another id\n';
    expect(await run(linesOf(rows))).toEqual(failed(remarks, '0 added, 0 already there, 2 refused\n'));
    expect(await accounts()).toEqual(before);
    expect(await database.prisma.auditLine.count()).toBe(0);
  });
});
