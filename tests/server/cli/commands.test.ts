import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseName } from '../../../server/cli/locateDatabase.ts';
import { MIGRATION_LOCK_KEY } from '../../../server/database/migrate.ts';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { createTestDatabase, emptyTestDatabase } from '../../support/testDatabase.ts';
import {
  IN_DATABASE,
  type Outcome,
  provideAccountsDatabase,
  runAccountHere,
  runAccountProcess,
  startAccountProcess,
} from './accountProgram.ts';
import { terminalInput } from './terminalInput.ts';

const USERNAME = 'radio@uno.example';
const COMPANY = 'Radio Uno';
const PASSWORD = ' Exacta, Ñandú 🎧 ';

const database = provideAccountsDatabase();

describe('add', () => {
  const add = ['add', '--username', USERNAME, '--company', COMPANY];

  test('adds an account with exactly the password of standard input, stored as an argon2id hash', async () => {
    const env = { DATABASE_URL: database.url };
    const outcome = await runAccountProcess(add, { env, input: `${PASSWORD}\n` });
    const account = await accountOf(USERNAME);
    expect(outcome).toEqual({
      exitCode: 0,
      output: `Added ${USERNAME} (${COMPANY}) with id ${account.id}\n`,
      remarks: IN_DATABASE,
    });
    expect(account).toMatchObject({ company: COMPANY, disabled: false });
    expect(account.passwordHash).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword(account.passwordHash, PASSWORD)).toBe(true);
  });

  test('with --generate makes a password that opens the account, and prints it alone, once', async () => {
    const { exitCode, output, remarks } = await run([...add, '--generate']);
    expect(exitCode).toBe(0);
    const password = output.trimEnd();
    expect(output).toBe(`${password}\n`);
    expect(remarks).not.toContain(password);
    expect(await verifyPassword((await accountOf(USERNAME)).passwordHash, password)).toBe(true);
  });

  test('adds nothing when Ctrl-C is pressed at the question', async () => {
    const terminal = terminalInput();
    const outcome = run(add, terminal);
    terminal.write('secr\u0003');
    expect(await outcome).toEqual({
      exitCode: 130,
      output: '',
      remarks: `${IN_DATABASE}Password: \ninterrupted\n`,
    });
    expect(await database.prisma.account.count()).toBe(0);
  });

  test('leaves an account with the same username as it is, and asks for no password', async () => {
    await addAccount(USERNAME);
    const before = await accountOf(USERNAME);
    expect(await run(add, terminalInput())).toEqual(refusal('username is taken by another account'));
    expect(await accountOf(USERNAME)).toEqual(before);
  });

  test.each([
    ['a short username', ['corto', COMPANY], PASSWORD, 'username is shorter than 6 characters'],
    ['a blank company', [USERNAME, ''], PASSWORD, 'company is blank'],
    ['a short password', [USERNAME, COMPANY], 'corta', 'password is shorter than 6 characters'],
  ])('refuses %s', async (_what, [username = '', company = ''], password, message) => {
    expect(await run(['add', '--username', username, '--company', company], password)).toEqual(
      refusal(message),
    );
    expect(await database.prisma.account.count()).toBe(0);
  });
});

describe('list', () => {
  test('shows every account in aligned columns, in the order of the usernames', async () => {
    await addAccount('radio@dos.example', { company: 'Radio Dos, la más larga', disabled: true });
    await addAccount('otra@uno', { company: 'Uno' });
    const first = await accountOf('otra@uno');
    const second = await accountOf('radio@dos.example');
    expect(await run(['list'])).toEqual({
      exitCode: 0,
      output: [
        `USERNAME           COMPANY                  STATE     KEYS  CREATED                   ID`,
        `otra@uno           Uno                      enabled      0  ${first.createdAt.toISOString()}  ${first.id}`,
        `radio@dos.example  Radio Dos, la más larga  disabled     0  ${second.createdAt.toISOString()}  ${second.id}`,
        '',
      ].join('\n'),
      remarks: IN_DATABASE,
    });
  });

  test('with --json is an array for programs, without the hashes', async () => {
    await addAccount(USERNAME, { disabled: true });
    const {
      passwordHash,
      credentialsVersion: _,
      attemptsVersion: __,
      ...account
    } = await accountOf(USERNAME);
    const { exitCode, output } = await run(['list', '--json']);
    expect(exitCode).toBe(0);
    expect(output).not.toContain(passwordHash);
    expect(JSON.parse(output)).toEqual([
      {
        ...account,
        keys: 0,
        createdAt: account.createdAt.toISOString(),
        updatedAt: account.updatedAt.toISOString(),
      },
    ]);
  });
});

describe('set-password', () => {
  test("changes the password and ends the account's sessions, and no others", async () => {
    await addAccount(USERNAME, { sessions: 2 });
    await addAccount('radio@dos.example', { sessions: 1 });
    const outcome = await run(['set-password', '--username', USERNAME], `${PASSWORD}\r\n`);
    expect(outcome).toEqual({
      exitCode: 0,
      output: `Changed the password of ${USERNAME} and ended its sessions\n`,
      remarks: IN_DATABASE,
    });
    expect(await verifyPassword((await accountOf(USERNAME)).passwordHash, PASSWORD)).toBe(true);
    expect(await sessionsOf(USERNAME)).toBe(0);
    expect(await sessionsOf('radio@dos.example')).toBe(1);
  });
});

describe('unlock', () => {
  test('forgives what counts against the account, and changes nothing else', async () => {
    await addAccount(USERNAME, { sessions: 1 });
    const before = await accountOf(USERNAME);
    const saying = `${USERNAME} is unlocked: no earlier attempt to sign in counts against it`;
    expect(await run(['unlock', '--username', USERNAME])).toEqual(done(saying));
    const { attemptsVersion, updatedAt: _, ...rest } = await accountOf(USERNAME);
    expect(attemptsVersion).toBe(before.attemptsVersion + 1);
    expect(before).toMatchObject(rest);
    expect(await sessionsOf(USERNAME)).toBe(1);
  });
});

describe('disable and enable', () => {
  test("disabling ends the account's sessions, and no others; enabling opens it again", async () => {
    await addAccount(USERNAME, { sessions: 2 });
    await addAccount('radio@dos.example', { sessions: 1 });
    expect(await run(['disable', '--username', USERNAME])).toEqual(done(`${USERNAME} is now disabled`));
    expect(await accountOf(USERNAME)).toMatchObject({ disabled: true });
    expect(await sessionsOf(USERNAME)).toBe(0);
    expect(await sessionsOf('radio@dos.example')).toBe(1);
    expect(await run(['enable', '--username', USERNAME])).toEqual(done(`${USERNAME} is now enabled`));
    expect(await accountOf(USERNAME)).toMatchObject({ disabled: false });
  });

  test.each([
    ['disable', true],
    ['enable', false],
  ])('%s says when there was nothing to do, and changes nothing', async (command, disabled) => {
    await addAccount(USERNAME, { disabled });
    const before = await accountOf(USERNAME);
    expect(await run([command, '--username', USERNAME])).toEqual(done(`${USERNAME} was ${command}d already`));
    expect(await accountOf(USERNAME)).toEqual(before);
  });
});

describe('rename', () => {
  const TO = 'radio@nueva.example';
  const rename = ['rename', '--username', USERNAME, '--to', TO];

  test('gives the account another username, and changes nothing else of it', async () => {
    await addAccount(USERNAME, { sessions: 1 });
    await run(['add-key', '--username', USERNAME, '--name', 'recorder']);
    const { id, company, passwordHash, credentialsVersion } = await accountOf(USERNAME);
    expect(await run(rename)).toEqual(done(`${USERNAME} is now ${TO}`));
    expect(await accountOf(TO)).toMatchObject({ id, company, passwordHash, credentialsVersion });
    expect(await sessionsOf(TO)).toBe(1);
    expect(await database.prisma.accountKey.count({ where: { accountId: id } })).toBe(1);
    expect(await database.prisma.account.count()).toBe(1);
  });

  test('says when there was nothing to do, and changes nothing', async () => {
    await addAccount(USERNAME);
    const before = await accountOf(USERNAME);
    const outcome = await run(['rename', '--username', USERNAME, '--to', USERNAME]);
    expect(outcome).toEqual(done(`${USERNAME} has that username already`));
    expect(await accountOf(USERNAME)).toEqual(before);
  });

  test.each([
    ['taken', 'radio@dos.example', 'username is taken by another account'],
    ['too short', 'corto', 'username is shorter than 6 characters'],
    ['too long', 'x'.repeat(33), 'username is longer than 32 characters'],
  ])('refuses a username that is %s, and changes nothing', async (_what, to, message) => {
    await addAccount(USERNAME);
    await addAccount('radio@dos.example');
    const before = await database.prisma.account.findMany({ orderBy: { id: 'asc' } });
    expect(await run(['rename', '--username', USERNAME, '--to', to])).toEqual(refusal(message));
    expect(await database.prisma.account.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
  });
});

describe('delete', () => {
  const remove = ['delete', '--username', USERNAME];
  const QUESTION = `Delete ${USERNAME} (${COMPANY}), its sessions and keys? Type its username, or yes: `;

  /** Runs the command at a terminal, at which `typed` is typed. */
  const typing = (typed: string) => {
    const terminal = terminalInput();
    if (typed.endsWith('\n')) terminal.write(typed);
    else terminal.end(typed);
    return run(remove, terminal);
  };

  test.each([
    ['--yes', () => run([...remove, '--yes']), ''],
    ['yes at the question', () => typing('yes\n'), QUESTION],
    ['its username at the question', () => typing(`${USERNAME}\n`), QUESTION],
  ])('by %s deletes the account with its sessions and keys, and no other', async (_how, runIt, question) => {
    await addAccount(USERNAME, { sessions: 2 });
    await addAccount('radio@dos.example', { sessions: 1 });
    for (const username of [USERNAME, 'radio@dos.example']) {
      await run(['add-key', '--username', username, '--name', 'recorder']);
    }
    expect(await runIt()).toEqual({
      exitCode: 0,
      output: `Deleted ${USERNAME}, its sessions and keys\n`,
      remarks: `${IN_DATABASE}${question}`,
    });
    expect(await database.prisma.account.findMany()).toMatchObject([{ username: 'radio@dos.example' }]);
    expect(await database.prisma.session.count()).toBe(1);
    expect(await database.prisma.accountKey.count()).toBe(1);
  });

  test.each([
    ['another answer', 'y\n', QUESTION],
    ['an empty one', '\n', QUESTION],
    ['the end of input', '', `${QUESTION}\n`],
  ])('deletes nothing after %s, and says so', async (_what, typed, question) => {
    await addAccount(USERNAME, { sessions: 1 });
    expect(await typing(typed)).toEqual({
      exitCode: 1,
      output: '',
      remarks: `${IN_DATABASE}${question}Nothing was deleted\n`,
    });
    expect(await sessionsOf(USERNAME)).toBe(1);
  });

  test('deletes nothing when interrupted at the question', async () => {
    await addAccount(USERNAME);
    const interruption = new AbortController();
    const terminal = terminalInput();
    // Nothing reads the input before the question does.
    terminal.once('resume', () => interruption.abort());
    const outcome = await runAccountHere(remove, { url: database.url, input: terminal, interruption });
    expect(outcome).toEqual({
      exitCode: 130,
      output: '',
      remarks: `${IN_DATABASE}${QUESTION}interrupted\n`,
    });
    expect(await database.prisma.account.count()).toBe(1);
  });

  test('without a terminal needs --yes: wrong usage, without looking at the database', async () => {
    await addAccount(USERNAME);
    expect(await run(remove, 'yes\n')).toEqual({
      exitCode: 2,
      output: '',
      remarks: 'error: without a terminal to ask at, delete needs --yes\n',
    });
    expect(await database.prisma.account.count()).toBe(1);
  });

  test('may be done again after the account was imported again with its old id', async () => {
    await addAccount(USERNAME);
    const { id } = await accountOf(USERNAME);
    await run([...remove, '--yes']);
    await database.prisma.account.create({
      data: { id, username: USERNAME, company: 'Radio Otra', passwordHash: 'not a hash' },
    });
    expect(await run([...remove, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await database.prisma.deletedAccount.findMany()).toMatchObject([{ id, company: 'Radio Otra' }]);
  });
});

test.each([
  ['set-password'],
  ['unlock'],
  ['rename', '--to', 'radio@nueva.example'],
  ['disable'],
  ['enable'],
  ['delete', '--yes'],
])('%s refuses an unknown username', async (command, ...options) => {
  expect(await run([command, ...options, '--username', 'nadie@uno.example'], PASSWORD)).toEqual(
    refusal('there is no account with that username'),
  );
});

describe('output that cannot be written', () => {
  const add = ['add', '--username', USERNAME, '--company', COMPANY, '--generate'];
  const env = () => ({ DATABASE_URL: database.url });
  /** Runs a command with a full disk as its output. */
  const runFull = async (args: string[], program = 'account'): Promise<Outcome> => {
    const output = openSync('/dev/full', 'w');
    try {
      return await startAccountProcess(args, env(), { output, program }).outcome;
    } finally {
      closeSync(output);
    }
  };
  /** Runs a command whose output has no reader any more. */
  const runUnread = (args: string[], program = 'account'): Promise<Outcome> => {
    const { child, outcome } = startAccountProcess(args, env(), { program });
    child.stdout?.destroy();
    return outcome;
  };

  test('says so and fails', async () => {
    expect(await runFull(['list'])).toEqual({
      exitCode: 1,
      output: '',
      remarks: `${IN_DATABASE}error: the output could not be written (ENOSPC)\n`,
    });
  });

  test('is no failure where its reader had enough', async () => {
    expect(await runUnread(['list'])).toEqual({ exitCode: 0, output: '', remarks: IN_DATABASE });
  });

  test('is treated in the same way by npm run migrate, and ends npm run check', async () => {
    const lost = { exitCode: 1, output: '', remarks: 'error: the output could not be written (ENOSPC)\n' };
    expect(await runFull([], 'migrate')).toEqual({ ...lost, remarks: `${IN_DATABASE}${lost.remarks}` });
    expect(await runUnread([], 'migrate')).toEqual({ exitCode: 0, output: '', remarks: IN_DATABASE });
    expect(await runFull([], 'check')).toEqual(lost);
    expect(await runUnread([], 'check')).toEqual({ exitCode: 130, output: '', remarks: 'interrupted\n' });
  });

  test.each([
    ['ENOSPC', runFull],
    ['EPIPE', runUnread],
  ])('is a generated password lost, which is said: %s', async (code, runThere) => {
    const { exitCode, remarks } = await runThere(add);
    expect({ exitCode, lastLine: remarks.split('\n').at(-2) }).toEqual({
      exitCode: 1,
      lastLine: `error: the password could not be written (${code}): choose another with set-password`,
    });
  });
});

describe('wrong usage', () => {
  const noPassword =
    'error: a password is not taken as an argument: type it, pipe it in, or use --generate\n';

  test.each([
    ['no command', [], 'Usage: npm run account --'],
    ['an unknown command', ['remove'], "error: unknown command 'remove'"],
    [
      'a missing option',
      ['add', '--username', USERNAME],
      "error: required option '--company <company>' not specified",
    ],
    ['a missing file', ['import'], "error: missing required argument 'file'"],
    ['a password as an argument', ['add', '--username', USERNAME, '--password', 'hunter2'], noPassword],
    ['a password as an argument', ['set-password', '--password=hunter2'], noPassword],
    ['an argument too many', ['enable', 'hunter2', '--username', USERNAME], 'error: too many arguments'],
  ])('%s has exit code 2 and says so on standard error', async (_what, args, message) => {
    const { exitCode, output, remarks } = await run(args);
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(remarks).toContain(message);
    expect(remarks).not.toContain('hunter2');
  });
});

describe('--help', () => {
  test('of unlock says what it does not forgive', async () => {
    const { output } = await run(['unlock', '--help']);
    expect(output).toContain('count against a network, whatever the username, stay for up to 15 minutes');
  });

  test.each([
    'add',
    'list',
    'set-password',
    'unlock',
    'rename',
    'disable',
    'enable',
    'delete',
    'add-key',
    'extend-key',
    'list-keys',
    'revoke-key',
    'import',
    'usage',
    'tokens',
    'audit',
  ])('explains %s with an example, without a database', async (command) => {
    const outcome = await run([command, '--help'], '', 'postgresql://nowhere.invalid/none');
    expect(outcome).toMatchObject({ exitCode: 0, remarks: '' });
    expect(outcome.output).toMatch(
      new RegExp(`Examples?:\\n +.*npm run (--silent )?account -- ${command}\\b`),
    );
  });
});

describe('the database', () => {
  const TABLES = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;

  test.each([
    ['without tables', '', 'The database has no tables yet: run npm run migrate, or start the server'],
    [
      'of something else',
      'CREATE TABLE products (id int)',
      "The database of DATABASE_URL is not this server's: it has tables of something else, such as products. " +
        'Create a database for this server alone, owned by its user, and name that one',
    ],
  ])('%s is refused and left as it is', async (_what, statement, said) => {
    const empty = await emptyTestDatabase();
    onTestFinished(empty.drop);
    await query(empty.url, statement);
    const before = await query(empty.url, TABLES);
    expect(await run(['list'], '', empty.url)).toEqual(refusal(said));
    expect(await query(empty.url, TABLES)).toEqual(before);
  });

  test('that is older is refused and left as it is', async () => {
    const older = await createTestDatabase();
    onTestFinished(older.drop);
    const history = 'SELECT migration_name, finished_at FROM _prisma_migrations ORDER BY 1';
    await query(
      older.url,
      'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
    );
    const before = await query(older.url, history);
    expect(await run(['list'], '', older.url)).toEqual(
      refusal('The database is older than this program: run npm run migrate, or start the server'),
    );
    expect(await query(older.url, history)).toEqual(before);
  });

  test.each([
    ['finished', 'now(), NULL, 1'],
    ['failed', 'NULL, NULL, 0'],
    ['was rolled back', 'NULL, now(), 0'],
  ])('with a migration of a later release that %s is worked with', async (_how, columns) => {
    const newer = await createTestDatabase();
    onTestFinished(newer.drop);
    await query(
      newer.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, rolled_back_at, applied_steps_count)
       VALUES ('later', 'none', '29990101000000_later', ${columns})`,
    );
    expect(await run(['list', '--json'], '', newer.url)).toEqual(done('[]'));
  });

  test('that cannot be reached is named by host and database, after what a package warns of it', async () => {
    const url = 'postgresql://operator:hunter2@127.0.0.1:1/accounts?sslmode=require';
    const { remarks } = await runAccountProcess(['list'], { env: { DATABASE_URL: url } });
    expect(remarks).toMatch(
      /^in the database accounts at 127\.0\.0\.1:1 \(DATABASE_URL\)\nwarning: SECURITY WARNING: .*sslmode.*\nerror: Nothing listens.*\n$/,
    );
    expect(remarks).not.toMatch(/operator|hunter2/);
  });

  test("is not named by pg's default, which is the user's name", () => {
    expect(databaseName('postgresql://operator:hunter2@db.example')).toBe(
      'of the default name at db.example:5432',
    );
  });

  test('is not made where neither DATABASE_URL nor the demo has one', async () => {
    const folder = emptyDataFolder();
    expect(await runAccountHere(['list'], { env: {} })).toEqual({
      exitCode: 1,
      output: '',
      remarks:
        `error: there is no embedded database under ${folder} yet, and DATABASE_URL is not set: ` +
        'start the server once, run npm run migrate, or set DATABASE_URL\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that DATABASE_DIRECT_URL leads to is blamed on that', async () => {
    const DATABASE_DIRECT_URL = 'postgresql://operator:hunter2@127.0.0.1:1/accounts';
    const env = { DATABASE_URL: database.url, DATABASE_DIRECT_URL };
    expect(await runAccountHere(['list'], { env })).toEqual({
      exitCode: 1,
      output: '',
      remarks:
        'in the database accounts at 127.0.0.1:1 (DATABASE_DIRECT_URL)\n' +
        'error: Nothing listens at the host and port in DATABASE_DIRECT_URL: check them, and that PostgreSQL runs and listens there.\n',
    });
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('is no longer waited for after %s', async (signal) => {
    const empty = await emptyTestDatabase();
    const other = new pg.Client({ connectionString: empty.url });
    await other.connect();
    try {
      await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
      const { child, outcome } = startAccountProcess(['list'], { DATABASE_URL: empty.url });
      const waiting = () =>
        other.query(
          `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
           WHERE NOT granted AND locktype = 'advisory' AND datname = current_database()`,
        );
      await expect.poll(async () => (await waiting()).rowCount).toBe(1);
      child.kill(signal);
      expect(await outcome).toEqual({ exitCode: 130, output: '', remarks: `${IN_DATABASE}interrupted\n` });
    } finally {
      await other.end();
      await empty.drop();
    }
  });

  test.each([
    ['is not made where NODE_ENV is misspelt', 'prod', /^error: NODE_ENV must be production.*\n$/],
    [
      'must be named in production',
      'production',
      /^error: DATABASE_URL is required when NODE_ENV is production\n$/,
    ],
  ])('%s', async (_rule, NODE_ENV, remarks) => {
    const folder = emptyDataFolder();
    expect(await runAccountHere(['list'], { env: { NODE_ENV, DATABASE_URL: '' } })).toEqual({
      exitCode: 1,
      output: '',
      remarks: expect.stringMatching(remarks),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

function emptyDataFolder(): string {
  const folder = temporaryFolder();
  vi.stubEnv('DATA_DIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

function run(
  args: string[],
  input: Parameters<typeof runAccountHere>[1]['input'] = '',
  url = database.url,
): Promise<Outcome> {
  return runAccountHere(args, { url, input });
}

function done(output: string): Outcome {
  return { exitCode: 0, output: `${output}\n`, remarks: IN_DATABASE };
}

function refusal(message: string): Outcome {
  return { exitCode: 1, output: '', remarks: `${IN_DATABASE}error: ${message}\n` };
}

async function addAccount(
  username: string,
  { sessions = 0, ...fields }: { company?: string; disabled?: boolean; sessions?: number } = {},
): Promise<void> {
  const expiresAt = new Date(Date.now() + 60_000);
  await database.prisma.account.create({
    data: {
      username,
      company: COMPANY,
      passwordHash: 'not a hash',
      ...fields,
      sessions: { create: Array.from({ length: sessions }, () => ({ id: randomUUID(), expiresAt })) },
    },
  });
}

function accountOf(username: string) {
  return database.prisma.account.findUniqueOrThrow({ where: { username } });
}

function sessionsOf(username: string): Promise<number> {
  return database.prisma.session.count({ where: { account: { username } } });
}
