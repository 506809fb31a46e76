import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { verifyPassword } from '../../../../../server/signIn/password.ts';
import { temporaryFolder } from '../../../../support/temporaryFolder.ts';
import { done, provideAccountsDatabase, refused } from '../../runAccount.ts';

const ROW = { id: 'b', username: 'radio@b.example', password: 'hunter2', company: 'Radio B' };

const database = provideAccountsDatabase();

const linesOf = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const accounts = () => database.prisma.account.findMany({ orderBy: { id: 'asc' } });
const run = (input: string | PassThrough) => database.run(['import', '-'], { input });

function manyRows(count: number) {
  return Array.from({ length: count }, (_, row) => ({ ...ROW, id: `id-${row}`, username: `radio-${row}@x` }));
}

async function storeFirst(count: number): Promise<void> {
  const data = manyRows(count).map(({ password, ...row }) => ({ ...row, passwordHash: 'kept' }));
  await database.prisma.account.createMany({ data });
}

test('import adds the accounts of a file under their ids', async () => {
  const file = path.join(temporaryFolder({ 'export.json': JSON.stringify([ROW], null, 2) }), 'export.json');
  expect(await database.run(['import', file])).toEqual(done('1 added, 0 already there, 0 refused'));
  const [account] = await accounts();
  expect(account).toMatchObject({ id: 'b', username: ROW.username, company: ROW.company, disabled: false });
  expect(await verifyPassword(account?.passwordHash ?? '', ROW.password)).toBe(true);
});

test('import adds the documents of an export by id, and tells doubles by their numbers', async () => {
  const { id, ...fields } = ROW;
  const exported = { [id]: fields, c: fields, d: { ...fields, username: 'radio@d.example' } };
  expect(await run(JSON.stringify({ __collections__: { accounts: exported } }, null, 2))).toEqual({
    exitCode: 1,
    output: '2 added, 0 already there, 1 refused\n',
    remarks: 'row 2: same username as row 1\n',
  });
  expect(await accounts()).toMatchObject([{ id: 'b' }, { id: 'd' }]);
});

test('importing again changes nothing', async () => {
  await storeFirst(2);
  const before = await accounts();
  const outcome = await run(linesOf(manyRows(2).map((row) => ({ ...row, company: 'Otra' }))));
  const remark = 'Accounts already there were left as they are, their passwords too.\n';
  expect(outcome).toEqual(done('0 added, 2 already there, 0 refused', remark));
  expect(await accounts()).toEqual(before);
});

test('importing a deleted account again forgets no other deletion', async () => {
  const { deletedAccount } = database.prisma;
  const deleted = ['b', 'c'].map((id) => ({ id, username: `${id}@uno.example`, company: 'Radio' }));
  await deletedAccount.createMany({ data: deleted });
  await run(linesOf([ROW]));
  expect(await deletedAccount.findMany()).toMatchObject([{ id: 'c' }]);
});

test('import remarks on a username with a space at an end', async () => {
  const { remarks } = await run(linesOf([{ ...ROW, username: 'radio@uno.example ', role: 'partner' }]));
  expect(remarks).toMatch(/^line 1: username begins or ends with a space, /);
  expect(await accounts()).toMatchObject([{ username: 'radio@uno.example ' }]);
});

test('import remarks on a company with a space at an end', async () => {
  const { remarks } = await run(linesOf([{ ...ROW, company: 'Radio B ' }]));
  expect(remarks).toMatch(/^line 1: company begins or ends with a space: .*set-company/);
  expect(await accounts()).toMatchObject([{ company: 'Radio B ' }]);
});

test('import remarks on letters that a keyboard types otherwise, and keeps them', async () => {
  const [username, password] = ['señal@radio.example'.normalize('NFD'), 'contraseña'.normalize('NFD')];
  const { remarks } = await run(linesOf([{ ...ROW, username, password: ` ${password}` }]));
  expect(remarks).toMatch(/^line 1: username has decomposed letters, /);
  expect(remarks).toMatch(/^line 1: password has decomposed letters, /m);
  expect(remarks).toMatch(/^line 1: password begins or ends with a space, /m);
  const [account] = await accounts();
  expect(account?.username).toBe(username);
  expect(await verifyPassword(account?.passwordHash ?? '', ` ${password}`)).toBe(true);
});

test('two imports of one file at once add each account once', async () => {
  const rows = manyRows(4);
  for (const { output } of await Promise.all([run(linesOf(rows)), run(linesOf(rows))])) {
    const added = Number.parseInt(output, 10);
    expect(output).toBe(`${added} added, ${rows.length - added} already there, 0 refused\n`);
  }
  expect(await database.prisma.account.count()).toBe(rows.length);
});

test('import refuses an export without a row', async () => {
  expect(await run('[]\n')).toEqual(refused('the export has no row'));
});

test('import refuses more than 20 MB', async () => {
  const input = new PassThrough();
  input.write(linesOf([ROW]));
  input.end(Buffer.alloc(20_000_000, ' '));
  expect(await run(input)).toEqual(refused('larger than 20 MB'));
  expect(await accounts()).toEqual([]);
});

test('import names a file that is not there', async () => {
  const file = path.join(temporaryFolder(), 'none.json');
  expect(await database.run(['import', file])).toEqual(refused(`'${file}'\n`));
});

test('an interrupted import goes on when it is run again', async () => {
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

test('rows that break a rule are named while the rest goes in', async () => {
  const rows: Array<[row: unknown, fault: string]> = [
    [{}, 'id is missing; username is missing; password is missing; company is missing'],
    [['hunter2'], 'not a JSON object'],
    [{ ...ROW, id: ' ' }, 'id is blank'],
    [{ ...ROW, id: 'ñ'.repeat(751) }, 'id is longer than 1500 bytes'],
    [{ ...ROW, username: '       ' }, 'username is blank'],
    [{ ...ROW, username: 'x'.repeat(33) }, 'username is longer than 32 characters'],
    [{ ...ROW, password: null }, 'password is not text'],
    [{ ...ROW, company: 'x'.repeat(201) }, 'company is longer than 200 characters'],
    [{ ...ROW, password: 'hunter2\u0000' }, 'password contains control characters or damaged text'],
  ];
  expect(await run(linesOf([...rows.map(([row]) => row), ROW]))).toEqual({
    exitCode: 1,
    output: '1 added, 0 already there, 9 refused\n',
    remarks: rows.map(([, fault], index) => `line ${index + 1}: ${fault}\n`).join(''),
  });
});

test('rows with the id or username of an earlier row are refused', async () => {
  await storeFirst(250);
  const changes = [{ id: 'id-0' }, { username: 'radio-120@x' }, { id: 'id-7', username: 'radio-3@x' }];
  const doubles = changes.map((change) => ({ ...ROW, ...change }));
  const { output, remarks } = await run(linesOf([...manyRows(250), ...doubles, ROW]));
  expect(output).toBe('1 added, 250 already there, 3 refused\n');
  expect(remarks.split('\n').slice(0, 3)).toEqual([
    'line 251: same id as line 1',
    'line 252: same username as line 121',
    'line 253: same id as line 8',
  ]);
});

test('rows with the id or username of another account are refused', async () => {
  await storeFirst(2);
  const before = await accounts();
  const { remarks } = await run(
    linesOf([
      { ...ROW, id: 'id-0' },
      { ...ROW, username: 'radio-1@x' },
    ]),
  );
  expect(remarks.split('\n')).toEqual([
    'line 1: id belongs to an account with another username',
    'line 2: username belongs to an account with another id',
    '',
  ]);
  expect(await accounts()).toEqual(before);
  expect(await database.prisma.auditLine.count()).toBe(0);
});
