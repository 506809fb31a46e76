import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hashPassword, verifyPassword } from '../../../../server/signIn/password.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import {
  IN_DATABASE,
  provideAccountsDatabase,
  runAccountHere,
  runAccountProcess,
  startAccountProcess,
} from '../accountProgram.ts';

vi.mock('../../../../server/signIn/password.ts', { spy: true });
const ROWS = ['uno', 'dos', 'tres'].map((name) => ({
  id: `id-${name}`,
  username: `radio@${name}.example`,
  password: `secreto-${name}`,
  company: `Radio ${name}`,
}));
const LEFT_AS_THEY_ARE = 'Accounts already there were left as they are, their passwords too.\n';

// Many rows take their time on a machine that is busy.
const database = provideAccountsDatabase();
describe('importing', () => {
  test('a file keeps ids and companies, and every password opens its account', async () => {
    const file = writeExport(JSON.stringify(ROWS, null, 2));
    expect(await runProcess(['import', file])).toEqual({
      exitCode: 0,
      output: '3 added, 0 already there, 0 refused\n',
      remarks: IN_DATABASE,
    });
    for (const { id, username, password, company } of ROWS) {
      const account = await database.prisma.account.findUniqueOrThrow({ where: { id } });
      expect(account).toMatchObject({ username, company, disabled: false });
      expect(account.passwordHash).toMatch(/^\$argon2id\$/);
      expect(await verifyPassword(account.passwordHash, password)).toBe(true);
    }
  });

  test('again changes nothing and hashes nothing, whatever password or company the file has by then', async () => {
    await run(linesOf(ROWS));
    const before = await accounts();
    vi.mocked(hashPassword).mockClear();
    const changed = ROWS.map((row) => ({ ...row, password: 'otra-clave', company: 'Otra' }));
    expect(await run(linesOf(changed))).toEqual({
      exitCode: 0,
      output: '0 added, 3 already there, 0 refused\n',
      remarks: `${IN_DATABASE}${LEFT_AS_THEY_ARE}`,
    });
    expect(await accounts()).toEqual(before);
    expect(hashPassword).not.toHaveBeenCalled();
  });

  test('takes a username with a space at an end exactly, and says so by its line', async () => {
    expect(await run(linesOf([{ ...ROWS[0], username: 'radio@uno.example ' }]))).toEqual({
      exitCode: 0,
      output: '1 added, 0 already there, 0 refused\n',
      remarks: `${IN_DATABASE}line 1: username begins or ends with a space, which must be typed too when signing in\n`,
    });
    expect((await accounts()).map(({ username }) => username)).toEqual(['radio@uno.example ']);
  });

  test('ignores other fields, and takes a name that only differs in case for another one', async () => {
    const [row] = ROWS;
    const rows = [
      { ...row, role: 'partner', logged: true },
      { ...row, id: 'ID-UNO', username: 'RADIO@uno.example' },
    ];
    expect((await run(JSON.stringify(rows))).output).toBe('2 added, 0 already there, 0 refused\n');
  });

  test('the same file twice at once adds each account once and refuses none', async () => {
    const rows = manyRows(30);
    const outcomes = await Promise.all([run(linesOf(rows)), run(linesOf(rows))]);
    const added = outcomes.map(({ output }) => Number.parseInt(output, 10));
    expect(added.reduce((sum, count) => sum + count)).toBe(rows.length);
    expect(outcomes.map(({ output }) => output)).toEqual(
      added.map((count) => `${count} added, ${rows.length - count} already there, 0 refused\n`),
    );
    expect(await database.prisma.account.count()).toBe(rows.length);
  });

  test.each([
    ['an empty stream', ''],
    ['blank lines', '\n \n'],
    ['an empty array', '[]\n'],
  ])('%s alone is refused', async (_what, text) => {
    expect(await run(text)).toEqual({
      exitCode: 1,
      output: '',
      remarks: `${IN_DATABASE}error: the export has no row, so nothing was imported: check the command or file that it comes from\n`,
    });
  });
});

describe('a row that is refused', () => {
  const good = { id: 'b', username: 'radio@b.example', password: 'hunter2', company: 'Radio B' };

  test.each([
    [
      'not JSON',
      '{"id":"b","password":"hunter2"',
      'not JSON: an export is a JSON array, or one JSON object a line',
    ],
    ['a list', '["hunter2"]', 'not a JSON object'],
    ['an empty object', '{}', 'id is missing; username is missing; password is missing; company is missing'],
    ['with a blank id', { ...good, id: ' ' }, 'id is blank'],
    ['with a number for an id', { ...good, id: 7 }, 'id is not text'],
    ['with an endless id', { ...good, id: 'x'.repeat(1501) }, 'id is longer than 1500 bytes'],
    ['with a blank username', { ...good, username: '       ' }, 'username is blank'],
    ['with a short username', { ...good, username: 'corto' }, 'username is shorter than 6 characters'],
    ['with a long username', { ...good, username: 'x'.repeat(33) }, 'username is longer than 32 characters'],
    ['with null for a password', { ...good, password: null }, 'password is not text'],
    ['with a long company', { ...good, company: 'x'.repeat(201) }, 'company is longer than 200 characters'],
    [
      'with a control character',
      { ...good, password: 'hunter2\u0000' },
      'password contains control characters or damaged text',
    ],
    [
      'with half a character',
      { ...good, username: 'radio@\ud83c' },
      'username contains control characters or damaged text',
    ],
  ])(
    'being %s is named by its line, never with its password, and the rest goes in',
    async (_what, row, fault) => {
      const text = typeof row === 'string' ? row : JSON.stringify(row);
      const outcome = await run(`${linesOf(ROWS.slice(0, 1))}${text}\n${linesOf(ROWS.slice(1))}`);
      expect(outcome).toMatchObject({ exitCode: 1, output: '3 added, 0 already there, 1 refused\n' });
      expect(outcome.remarks).toBe(`${IN_DATABASE}line 2: ${fault}\n`);
      expect(await ids()).toEqual(['id-dos', 'id-tres', 'id-uno']);
    },
  );

  test('has the id or the username of an earlier row, however far back', async () => {
    await storeFirst(450);
    const rows = manyRows(450);
    const doubles = [
      { ...good, id: 'id-0' },
      { ...good, username: 'radio-120@x' },
      { ...good, id: 'id-7', username: 'radio-3@x' },
      rows[449],
      { ...good, id: 'id-id' },
    ];
    expect(await run(linesOf([...rows, ...doubles]))).toEqual({
      exitCode: 1,
      output: '1 added, 450 already there, 4 refused\n',
      remarks: [
        IN_DATABASE.trim(),
        'line 451: same id as line 1',
        'line 452: same username as line 121',
        'line 453: same id as line 8',
        'line 454: same id as line 450',
        LEFT_AS_THEY_ARE,
      ].join('\n'),
    });
  });

  test('has the id or the username of another account, which stays as it is', async () => {
    await run(linesOf(ROWS));
    const before = await accounts();
    const rows = [{ ...good, id: 'id-uno' }, { ...good, id: 'c', username: 'radio@dos.example' }, ROWS[2]];
    expect(await run(linesOf(rows))).toEqual({
      exitCode: 1,
      output: '0 added, 1 already there, 2 refused\n',
      remarks: [
        IN_DATABASE.trim(),
        'line 1: id belongs to an account with another username',
        'line 2: username belongs to an account with another id',
        LEFT_AS_THEY_ARE,
      ].join('\n'),
    });
    expect(await accounts()).toEqual(before);
  });
});

describe('a file', () => {
  test('that breaks off: what came before is in, and the line is named', async () => {
    expect(await run(JSON.stringify(ROWS, null, 2).slice(0, -40))).toEqual({
      exitCode: 1,
      output: '2 added, 0 already there, 1 refused\n',
      remarks: `${IN_DATABASE}line 14, row 3: the file ends inside this row; nothing from here on was read\n`,
    });
    expect(await ids()).toEqual(['id-dos', 'id-uno']);
  });

  test('that is not there is said in one line, and nothing else', async () => {
    const file = path.join(temporaryFolder(), 'none.json');
    expect(await runAccountHere(['import', file], { url: database.url })).toEqual({
      exitCode: 1,
      output: '',
      remarks: `${IN_DATABASE}error: the export cannot be read: ENOENT: no such file or directory, open '${file}'\n`,
    });
  });
});

test('an interrupted import keeps what is in, says how much that is, and goes on when run again', async () => {
  const rows = manyRows(2_000);
  const { child, outcome } = startAccountProcess(['import', writeExport(linesOf(rows))], {
    DATABASE_URL: database.url,
  });
  await expect.poll(() => database.prisma.account.count()).toBeGreaterThan(0);
  child.kill('SIGINT');
  const { exitCode, output, remarks } = await outcome;
  const added = await database.prisma.account.count();
  expect({ exitCode, output, remarks }).toEqual({
    exitCode: 130,
    output: `${added} added, 0 already there, 0 refused\n`,
    remarks: `${IN_DATABASE}interrupted\n`,
  });
  expect(added).toBeLessThan(rows.length);
  expect((await run(linesOf(rows.slice(0, added + 1)))).output).toBe(
    `1 added, ${added} already there, 0 refused\n`,
  );
});

test('after an import that was killed all rows are in once each when it is run again', async () => {
  const rows = manyRows(600);
  const fromBefore = 400;
  await storeFirst(fromBefore);
  const file = writeExport(JSON.stringify(rows, null, 1));
  const killed = startAccountProcess(['import', file], { DATABASE_URL: database.url });
  const count = () => database.prisma.account.count();
  await expect.poll(count, { interval: 20 }).toBeGreaterThan(fromBefore);
  killed.child.kill('SIGKILL');
  expect((await killed.outcome).output).toBe('');
  const before = await count();
  expect(before).toBeLessThan(rows.length);

  expect(await runProcess(['import', file])).toMatchObject({
    exitCode: 0,
    output: `${rows.length - before} added, ${before} already there, 0 refused\n`,
  });
  const stored = new Map((await accounts()).map((account) => [account.id, account]));
  expect(stored.size).toBe(rows.length);
  for (const { password, ...row } of rows) expect(stored.get(row.id)).toMatchObject(row);
  const kept = [...stored.values()].filter(({ passwordHash }) => passwordHash === 'kept');
  expect(kept.length).toBe(fromBefore);
  for (const row of rows.slice(fromBefore).filter((_, index) => index % 50 === 0)) {
    expect(await verifyPassword(stored.get(row.id)?.passwordHash ?? null, row.password)).toBe(true);
  }
});

test('a terminal shows how far it is, and nothing of that stays', async () => {
  await storeFirst(199);
  const { output, remarks } = await runAccountHere(['import', writeExport(linesOf(manyRows(200)))], {
    url: database.url,
    isOnTerminal: true,
  });
  expect(output).toBe('1 added, 199 already there, 0 refused\n');
  const [first = '', ...drawn] = remarks.split('\r\u001b[K');
  expect(first).toBe(IN_DATABASE);
  expect(drawn.length).toBeGreaterThan(1);
  expect(drawn.at(-1)).toBe(LEFT_AS_THEY_ARE);
  for (const line of drawn.slice(0, -1)) {
    expect(line).toMatch(/^\[#*-*\] \d+ %(, \d+ (s|min) left)?: \d added, \d+ already there, 0 refused$/);
  }
});

test('the heap does not grow with the rows of accounts that are already there', async () => {
  // Kept by the program, the ids alone would take more memory than allowed.
  const env = { NODE_OPTIONS: '--max-old-space-size=40' };
  const longId = 'x'.repeat(1_400);
  const rows = manyRows(15_000).map((row, index) => ({ ...row, id: `${index}-${longId}` }));
  await database.prisma.$executeRaw`
    INSERT INTO accounts (id, username, company, password_hash)
    SELECT row || '-' || ${longId}, 'radio-' || row || '@x', 'Radio', 'kept'
    FROM generate_series(0, ${rows.length}::int - 1) AS row`;
  expect(await runProcess(['import', writeExport(JSON.stringify(rows))], env)).toMatchObject({
    exitCode: 0,
    output: `0 added, ${rows.length} already there, 0 refused\n`,
  });
});

function manyRows(count: number) {
  return Array.from({ length: count }, (_, row) => ({
    id: `id-${row}`,
    username: `radio-${row}@x`,
    password: `clave-${row}`,
    company: `Radio ${row}`,
  }));
}

/** Stores the first of `manyRows` as an interrupted import would leave them, with a text instead of a hash. */
async function storeFirst(count: number): Promise<void> {
  await database.prisma.$executeRaw`
    INSERT INTO accounts (id, username, company, password_hash, updated_at)
    SELECT 'id-' || row, 'radio-' || row || '@x', 'Radio ' || row, 'kept', now()
    FROM generate_series(0, ${count}::int - 1) AS row`;
}

function linesOf(rows: unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function writeExport(text: string): string {
  return path.join(temporaryFolder({ 'export.json': text }), 'export.json');
}

/** Imports from standard input; no outcome may show a password. */
async function run(text: string) {
  const outcome = await runAccountHere(['import', '-'], { url: database.url, input: text });
  expect(outcome.output + outcome.remarks).not.toMatch(/hunt|secreto|clave/);
  return outcome;
}

function runProcess(args: string[], env: Record<string, string> = {}) {
  return runAccountProcess(args, { env: { DATABASE_URL: database.url, ...env } });
}

function accounts() {
  return database.prisma.account.findMany({ orderBy: { id: 'asc' } });
}

async function ids(): Promise<string[]> {
  return (await accounts()).map(({ id }) => id);
}
