import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Writable } from 'node:stream';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseName } from '../../../server/cli/locateDatabase.ts';
import { MIGRATION_LOCK_KEY } from '../../../server/database/migrations.ts';
import { newRecordId } from '../../../server/database/recordId.ts';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { createTestDatabase, emptyTestDatabase } from '../../support/testDatabase.ts';
import {
  done,
  failed,
  IN_DATABASE,
  misused,
  provideAccountsDatabase,
  runAccountHere,
  startAccountProcess,
} from './accountProgram.ts';
import { terminalInput } from './terminalInput.ts';

const USERNAME = 'radio@uno.example';
const OTHER = 'radio@dos.example';
const COMPANY = 'Radio Uno';
const PASSWORD = ' Exacta, Ñandú 🎧 ';
const OF_ACCOUNT = ['--username', USERNAME];

const database = provideAccountsDatabase();
const { run } = database;
beforeAll(buildUnlessFresh);

const refused = (message: string) => failed(`error: ${message}\n`);
const accountOf = (username: string) =>
  database.prisma.account.findUniqueOrThrow({ where: { username }, include: { sessions: true, keys: true } });

/** Adds an account with a session and a key. */
async function addAccount(
  username: string,
  fields: { company?: string; disabled?: boolean; validUntil?: Date } = {},
) {
  const expiresAt = new Date(Date.now() + 60_000);
  const key = { name: 'recorder', kind: 'TOOL', keyHash: Buffer.from(username), expiresAt } as const;
  const sessions = { create: { id: randomUUID(), expiresAt, credentialsVersion: 0 } };
  await database.addAccount({ username, ...fields, sessions, keys: { create: key } });
}

describe('add', () => {
  const add = ['add', ...OF_ACCOUNT, '--company', COMPANY];

  test('stores exactly the password of standard input, as an argon2id hash', async () => {
    const outcome = await run(add, { input: `${PASSWORD}\n` });
    const account = await accountOf(USERNAME);
    expect(outcome).toEqual(done(`Added ${USERNAME} (${COMPANY}) with id ${account.id}`));
    expect(account).toMatchObject({ company: COMPANY, disabled: false });
    expect(account.passwordHash).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword(account.passwordHash, PASSWORD)).toBe(true);
  });

  test('--generate prints only a password that opens the account', async () => {
    const { exitCode, output, remarks } = await run([...add, '--generate']);
    expect(exitCode).toBe(0);
    expect(remarks).toMatch(/The password, shown only now:\n$/);
    const { passwordHash } = await accountOf(USERNAME);
    expect(await verifyPassword(passwordHash, output.replace(/\n$/, ''))).toBe(true);
  });

  test('escapes invisible characters in what it prints', async () => {
    const username = 'radio\u202euno';
    const { output } = await run(['add', '--username', username, '--company', COMPANY], { input: PASSWORD });
    expect(output).toMatch(/^Added radio\\u202euno \(Radio Uno\) with id \S+\n$/);
  });

  test('adds nothing when Ctrl-C is pressed at the question', async () => {
    const input = terminalInput();
    const outcome = run(add, { input });
    input.write('secr\u0003');
    const remarks = `${IN_DATABASE}Password: \ninterrupted\n`;
    expect(await outcome).toEqual({ exitCode: 130, output: '', remarks });
    expect(await database.prisma.account.count()).toBe(0);
  });

  test('refuses a taken username without asking for a password', async () => {
    await addAccount(USERNAME);
    expect(await run(add, { input: terminalInput() })).toEqual(
      refused('username is taken by another account'),
    );
  });

  test.each([
    ['a short username', 'corto', COMPANY, PASSWORD, 'username is shorter than 6 characters'],
    ['an outer blank', `${USERNAME} `, COMPANY, PASSWORD, 'username begins or ends with a blank'],
    ['a blank company', USERNAME, '', PASSWORD, 'company is blank'],
    ['a short password', USERNAME, COMPANY, 'corta', 'password is shorter than 6 characters'],
  ])('refuses %s', async (_what, username, company, input, message) => {
    expect(await run(['add', '--username', username, '--company', company], { input })).toEqual(
      misused(`error: ${message}\n`),
    );
    expect(await database.prisma.account.count()).toBe(0);
  });
});

test.each([
  ['add', ['add', '--username', USERNAME.toUpperCase(), '--company', COMPANY]],
  ['rename', ['rename', '--username', OTHER, '--to', USERNAME.toUpperCase()]],
])('%s names the account whose username differs in case alone', async (_command, args) => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const { exitCode, remarks } = await run(args, { input: PASSWORD });
  expect(exitCode).toBe(0);
  expect(remarks).toContain(
    `${USERNAME} is another account, whose username differs from ${USERNAME.toUpperCase()} in case`,
  );
});

describe('the end of an account', () => {
  const NOW = new Date('2026-11-22T12:00:00Z');
  const at = (args: string[], clock = () => NOW) => run(args, { input: PASSWORD, clock });
  const states = async (clock: () => Date) =>
    (await at(['list'], clock)).output
      .split('\n')
      .flatMap((line) => /enabled|disabled|EXPIRED/.exec(line)?.[0] ?? []);

  test.each([
    ['2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['2026-12-31T22:00-05:00', '2027-01-01T03:00:00.000Z'],
    ['2026-11-22', '2026-11-23T00:00:00.000Z'],
  ])('is set by --until %s to %s', async (typed, end) => {
    await at(['add', ...OF_ACCOUNT, '--company', COMPANY, '--until', typed]);
    expect((await accountOf(USERNAME)).validUntil?.toISOString()).toBe(end);
    expect(await database.prisma.auditLine.findFirst()).toMatchObject({
      details: `${COMPANY}, until ${end}`,
    });
  });

  test.each([
    ['2026-02-30', 'It must be a day'],
    ['2026-12-31T22:00', 'It must be a day'],
    ['2026-12-31T25:00Z', 'It must be a day'],
    ['mañana', 'It must be a day'],
    ['2026-11-21', 'It is past.'],
  ])('is not taken from %s', async (typed, message) => {
    const { exitCode, remarks } = await at(['add', ...OF_ACCOUNT, '--company', COMPANY, '--until', typed]);
    expect([exitCode, remarks]).toEqual([2, expect.stringContaining(message)]);
    expect(await database.prisma.account.count()).toBe(0);
  });

  test('shows in list from that instant on', async () => {
    const validUntil = new Date('2027-01-01T00:00:00Z');
    await database.addAccount({ username: USERNAME, validUntil });
    await database.addAccount({ username: OTHER, validUntil, disabled: true });
    expect(await states(() => new Date(validUntil.getTime() - 1))).toEqual(['disabled', 'enabled']);
    expect(await states(() => validUntil)).toEqual(['disabled', 'EXPIRED']);
  });

  test('is moved or removed by extend', async () => {
    await database.addAccount({ username: USERNAME, validUntil: NOW });
    expect(await at(['extend', ...OF_ACCOUNT, '--until', '2027-06-30'])).toEqual(
      done(`${USERNAME} works until the end of 2027-06-30 UTC`),
    );
    expect((await accountOf(USERNAME)).validUntil).toEqual(new Date('2027-07-01T00:00:00Z'));
    expect(await at(['extend', ...OF_ACCOUNT, '--until', '2027-06-30T22:00-05:00'])).toEqual(
      done(`${USERNAME} works until 2027-07-01T03:00:00.000Z`),
    );
    expect(await at(['extend', ...OF_ACCOUNT, '--until', 'none'])).toEqual(done(`${USERNAME} has no end`));
    expect((await accountOf(USERNAME)).validUntil).toBeNull();
  });

  test('selects by list --expiring the open accounts that end soon', async () => {
    const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
    await database.addAccount({ username: USERNAME, validUntil: inDays(30) });
    await database.addAccount({ username: 'ended@uno', validUntil: NOW });
    await database.addAccount({ username: 'later@uno', validUntil: inDays(31) });
    await database.addAccount({ username: 'disabled@uno', validUntil: inDays(1), disabled: true });
    await addAccount(OTHER);
    const { output } = await at(['list', '--expiring', '30', '--json']);
    expect(JSON.parse(output)).toMatchObject([{ username: USERNAME }]);
  });
});

describe('--id', () => {
  test('names an account in place of --username', async () => {
    await addAccount(USERNAME);
    const { id } = await accountOf(USERNAME);
    expect(await run(['disable', '--id', id])).toEqual(done(`${USERNAME} is now disabled`));
    expect(await run(['disable', '--id', 'nadie'])).toEqual(refused('there is no account with that id'));
  });

  test.each([
    [[], 'error: name the account by --username or --id\n'],
    [
      [...OF_ACCOUNT, '--id', 'uno'],
      "error: option '--id <id>' cannot be used with option '--username <username>'\n",
    ],
  ])('with %j is wrong usage', async (args, remarks) => {
    expect(await run(['unlock', ...args])).toEqual({ exitCode: 2, output: '', remarks });
  });
});

test('end-sessions counts the valid sign-ins that it ends', async () => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const before = await accountOf(USERNAME);
  const now = Date.now();
  const inDays = (days: number) => new Date(now + days * 86_400_000);
  const session = (createdAt: number, changes: object) => ({
    ...{ id: randomUUID(), accountId: before.id, createdAt: new Date(createdAt), expiresAt: inDays(1) },
    ...{ credentialsVersion: 0, ...changes },
  });
  await database.prisma.session.createMany({
    data: [
      session(1_000, { lastUsedAt: null }),
      session(1_000, { lastUsedAt: inDays(0) }),
      session(2_000, { expiresAt: inDays(0) }),
      session(3_000, { lastUsedAt: inDays(-7) }),
      session(4_000, { credentialsVersion: 1 }),
    ],
  });
  const outcome = await run(['end-sessions', ...OF_ACCOUNT], { clock: () => new Date(now) });
  expect(outcome).toEqual(done(`Ended 2 sessions of ${USERNAME}`));
  expect(await accountOf(USERNAME)).toEqual({ ...before, sessions: [] });
  expect(await database.prisma.session.count()).toBe(1);
});

describe('list', () => {
  test('--search finds a part of username, company or id in any case', async () => {
    await addAccount(OTHER, { company: 'Emisora Única' });
    await addAccount(USERNAME);
    const { id } = await accountOf(USERNAME);
    for (const [text, found] of [
      ['ÚNICA', [OTHER]],
      ['@UNO', [USERNAME]],
      [id.slice(-12).toUpperCase(), [USERNAME]],
      ['nadie', []],
    ] as const) {
      const { output } = await run(['list', '--search', text, '--json']);
      expect(JSON.parse(output).map(({ username }: { username: string }) => username)).toEqual(found);
    }
  });

  test('tells the last token that an account was given', async () => {
    await addAccount(USERNAME);
    const { id: accountId } = await accountOf(USERNAME);
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 21, minute));
    const record = (minute: number, outcome: 'ISSUED' | 'PROVIDER_UNAVAILABLE') => ({
      ...{ id: newRecordId(at(minute)), accountId, createdAt: at(minute), outcome, client: 'TOOL' as const },
    });
    await database.prisma.tokenRecord.createMany({
      data: [record(1, 'ISSUED'), record(3, 'ISSUED'), record(4, 'PROVIDER_UNAVAILABLE')],
    });
    const [listed] = JSON.parse((await run(['list', '--json'])).output);
    expect(listed.lastTokenAt).toBe(at(3).toISOString());
  });

  test('shows every account by username', async () => {
    await addAccount(OTHER, { company: 'Radio Dos, la más larga', disabled: true });
    await addAccount('otra@uno', { company: 'Uno', validUntil: new Date('2099-01-01T00:00:00Z') });
    const [first, second] = [await accountOf('otra@uno'), await accountOf(OTHER)];
    const lines = [
      `USERNAME           COMPANY                  STATE     UNTIL (UTC)  KEYS  CREATED (UTC)             LAST SIGN-IN (UTC)  LAST TOKEN (UTC)  ID`,
      `otra@uno           Uno                      enabled   2098-12-31      1  ${first.createdAt.toISOString()}  -                   -                 ${first.id}`,
      `${OTHER}  Radio Dos, la más larga  disabled  -               1  ${second.createdAt.toISOString()}  -                   -                 ${second.id}`,
    ];
    expect(await run(['list'])).toEqual(done(lines.join('\n')));
  });

  test('without accounts says so', async () => {
    expect(await run(['list'])).toEqual(done('No accounts yet.'));
    for (const option of ['--search', '--expiring']) {
      expect(await run(['list', option, '30'])).toEqual(done('No account matches.'));
    }
    expect(await run(['list', '--json'])).toEqual(done('[]'));
    expect(await run(['list-keys'])).toEqual(done('No key matches.'));
  });

  test('--json is an array without hashes', async () => {
    await addAccount(USERNAME, { disabled: true });
    const { id, company, createdAt, updatedAt } = await accountOf(USERNAME);
    const listed = {
      id,
      username: USERNAME,
      company,
      disabled: true,
      validUntil: null,
      lastSignInAt: null,
      createdAt,
      updatedAt,
      keys: 1,
      lastTokenAt: null,
    };
    const { output } = await run(['list', '--json']);
    expect(JSON.parse(output)).toEqual([JSON.parse(JSON.stringify(listed))]);
  });
});

test('set-password changes the password of one account', async () => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const [{ keys }, other] = [await accountOf(USERNAME), await accountOf(OTHER)];
  await run(['set-password', ...OF_ACCOUNT], { input: `${PASSWORD}\r\n` });
  const changed = await accountOf(USERNAME);
  expect(await verifyPassword(changed.passwordHash, PASSWORD)).toBe(true);
  expect(changed).toMatchObject({ credentialsVersion: 1, attemptsVersion: 1, keys });
  expect(await accountOf(OTHER)).toEqual(other);
});

test('unlock only forgives attempts', async () => {
  await addAccount(USERNAME);
  const before = await accountOf(USERNAME);
  expect(await run(['unlock', ...OF_ACCOUNT])).toEqual(
    done(`${USERNAME} is unlocked: no earlier attempt to sign in counts against it`),
  );
  const updatedAt = expect.any(Date);
  expect(await accountOf(USERNAME)).toEqual({ ...before, updatedAt, attemptsVersion: 1 });
});

test('an account that was disabled opens again without its keys', async () => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const other = await accountOf(OTHER);
  expect(await run(['disable', ...OF_ACCOUNT])).toEqual(done(`${USERNAME} is now disabled`));
  expect(await accountOf(USERNAME)).toMatchObject({ disabled: true, credentialsVersion: 1, keys: [] });
  // Added while the account was being disabled.
  await database.prisma.accountKey.updateMany({ data: { accountId: (await accountOf(USERNAME)).id } });
  expect(await run(['enable', ...OF_ACCOUNT])).toEqual(done(`${USERNAME} is now enabled`));
  expect(await accountOf(USERNAME)).toMatchObject({ disabled: false, credentialsVersion: 1, keys: [] });
  expect(await accountOf(OTHER)).toEqual({ ...other, keys: [] });
});

describe('rename', () => {
  const TO = 'radio@nueva.example';

  test('changes the username and attempts', async () => {
    await addAccount(USERNAME);
    const before = await accountOf(USERNAME);
    expect(await run(['rename', ...OF_ACCOUNT, '--to', TO])).toEqual(done(`${USERNAME} is now ${TO}`));
    const updatedAt = expect.any(Date);
    expect(await accountOf(TO)).toEqual({ ...before, username: TO, attemptsVersion: 1, updatedAt });
  });

  test('refuses a username that is taken', async () => {
    await addAccount(USERNAME);
    await addAccount(OTHER);
    const outcome = await run(['rename', ...OF_ACCOUNT, '--to', OTHER]);
    expect(outcome).toEqual(refused('username is taken by another account'));
  });
});

test.each([
  ['disable', true, 'was disabled already'],
  ['enable', false, 'was enabled already'],
  ['rename', false, 'has that username already'],
])('%s changes nothing where there is nothing to do', async (command, disabled, said) => {
  await addAccount(USERNAME, { disabled });
  const before = await accountOf(USERNAME);
  const options = command === 'rename' ? ['--to', USERNAME] : [];
  expect(await run([command, ...OF_ACCOUNT, ...options])).toEqual(done(`${USERNAME} ${said}`));
  expect(await accountOf(USERNAME)).toEqual(before);
  expect(await database.prisma.auditLine.count()).toBe(0);
});

describe('delete', () => {
  const remove = ['delete', ...OF_ACCOUNT];
  const QUESTION = `Delete ${USERNAME} (${COMPANY}), its sessions and keys? Type its username, or yes: `;

  const typing = (typed: string) => {
    const input = terminalInput();
    if (typed.endsWith('\n')) input.write(typed);
    else input.end(typed);
    return run(remove, { input });
  };

  test.each([
    ['--yes', () => run([...remove, '--yes']), ''],
    ['yes at the question', () => typing('yes\n'), QUESTION],
    ['its username at the question', () => typing(`${USERNAME}\n`), QUESTION],
  ])('by %s deletes one account whole', async (_how, runIt, question) => {
    for (const username of [USERNAME, OTHER]) await addAccount(username);
    expect(await runIt()).toEqual(done(`Deleted ${USERNAME}, its sessions and keys`, question));
    expect(await database.prisma.account.findMany()).toMatchObject([{ username: OTHER }]);
    expect(await database.prisma.session.count()).toBe(1);
    expect(await database.prisma.accountKey.count()).toBe(1);
  });

  test.each([
    ['another answer', 'y\n', QUESTION],
    ['the end of input', '', `${QUESTION}\n`],
  ])('deletes nothing after %s', async (_what, typed, question) => {
    await addAccount(USERNAME);
    expect(await typing(typed)).toEqual(failed(`${question}Nothing was deleted\n`));
    expect(await database.prisma.account.count()).toBe(1);
  });

  test('deletes nothing when interrupted at the question', async () => {
    await addAccount(USERNAME);
    const interruption = new AbortController();
    const input = terminalInput();
    // Nothing reads the input before the question does.
    input.once('resume', () => interruption.abort());
    const remarks = `${IN_DATABASE}${QUESTION}interrupted\n`;
    expect(await run(remove, { input, interruption })).toEqual({ exitCode: 130, output: '', remarks });
    expect(await database.prisma.account.count()).toBe(1);
  });

  test('needs --yes without a terminal', async () => {
    await addAccount(USERNAME);
    const remarks = 'error: without a terminal to ask at, delete needs --yes\n';
    expect(await run(remove, { input: 'yes\n' })).toEqual({ exitCode: 2, output: '', remarks });
  });

  test('works again after the account was imported again with its old id', async () => {
    await addAccount(USERNAME);
    const { id, username, passwordHash } = await accountOf(USERNAME);
    await run([...remove, '--yes']);
    await database.prisma.account.create({ data: { id, username, passwordHash, company: 'Radio Otra' } });
    expect(await run([...remove, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await database.prisma.deletedAccount.findMany()).toMatchObject([{ id, company: 'Radio Otra' }]);
  });
});

describe('output that cannot be written', () => {
  const refusing = (code: string) =>
    new Writable({ write: (_chunk, _encoding, next) => next(Object.assign(new Error(code), { code })) }).on(
      'error',
      () => {},
    );

  test('fails the command on a full disk', async () => {
    expect(await run(['list'], { output: refusing('ENOSPC') })).toEqual(
      refused('the output could not be written (ENOSPC)'),
    );
  });

  test('ends a command well whose reader had enough', async () => {
    const { child, outcome } = startAccountProcess(['list'], { DATABASE_URL: database.url });
    child.stdout.destroy();
    expect(await outcome).toEqual({ exitCode: 0, output: '', remarks: IN_DATABASE });
  });

  test.each(['ENOSPC', 'EPIPE'])('loses a generated password with a remedy (%s)', async (code) => {
    const add = ['add', ...OF_ACCOUNT, '--company', COMPANY, '--generate'];
    const { exitCode, remarks } = await run(add, { output: refusing(code) });
    expect(exitCode).toBe(1);
    expect(remarks).toContain(`error: the password could not be written (${code}): choose another with set-`);
  });
});

test.each([
  ['an unknown command', ['remove'], "error: unknown command 'remove'"],
  ['a password', ['set-password', '--password=hunter2'], 'error: a password is not taken as an argument: '],
])('%s is wrong usage', async (_what, args, message) => {
  const { exitCode, output, remarks } = await run(args);
  expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
  expect(remarks).toContain(message);
  expect(remarks).not.toContain('hunter2');
});

test('--help gives an example of each command', async () => {
  const help = (...args: string[]) => run([...args, '--help'], { url: 'postgresql://nowhere.invalid/none' });
  const commands = [...(await help()).output.matchAll(/^ {2}([a-z-]+) (?:\[options\]|<file>)/gm)];
  expect(commands).toHaveLength(18);
  for (const [, command = ''] of commands) {
    const { exitCode, output } = await help(command);
    expect(exitCode).toBe(0);
    expect(output).toMatch(new RegExp(`Examples?:\\n +.*npm run (--silent )?account -- ${command}\\b`));
  }
});

describe('the database', () => {
  const newest = '(SELECT max(migration_name) FROM _prisma_migrations)';
  test.each([
    ['has no tables yet', emptyTestDatabase, 'SELECT'],
    [
      'is older than this program',
      createTestDatabase,
      `DELETE FROM _prisma_migrations WHERE migration_name = ${newest}`,
    ],
  ])('that %s is refused', async (state, create, change) => {
    const { url, drop } = await create();
    onTestFinished(drop);
    await query(url, change);
    const tables = () => query(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`);
    const before = await tables();
    expect(await run(['list'], { url })).toEqual(
      refused(`The database ${state}: run npm run migrate, or start the server`),
    );
    expect(await tables()).toEqual(before);
  });

  test('that cannot be reached is named without its user', async () => {
    const DATABASE_DIRECT_URL = 'postgresql://operator:hunter2@127.0.0.1:1/accounts?sslmode=require';
    const env = { DATABASE_URL: database.url, DATABASE_DIRECT_URL };
    const { remarks } = await startAccountProcess(['list'], env).outcome;
    expect(remarks).toMatch(
      /^in the database accounts at 127\.0\.0\.1:1 \(DATABASE_DIRECT_URL\)\nwarning: SECURITY WARNING: .*sslmode.*\nerror: Nothing listens at the host and port in DATABASE_DIRECT_URL: .*\n$/,
    );
  });

  test("without a name is not named as pg does, by the user's name", () => {
    expect(databaseName('postgresql://operator:hunter2@db.example')).toBe(
      'of the default name at db.example:5432',
    );
  });

  test('is not made by account commands', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('DATA_DIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const remarksWith = async (env: Record<string, string>) =>
      (await runAccountHere(['list'], { env })).remarks;
    expect(await remarksWith({})).toBe(
      `error: there is no embedded database under ${folder} yet, and DATABASE_URL is not set: ` +
        'start the server once, run npm run migrate, or set DATABASE_URL\n',
    );
    expect(await remarksWith({ NODE_ENV: 'production', DATABASE_URL: '' })).toBe(
      'error: DATABASE_URL is required when NODE_ENV is production\n',
    );
    expect(await remarksWith({ NODE_ENV: 'prod' })).toMatch(/^error: NODE_ENV must be production.*\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is no longer waited for after a signal', async () => {
    const empty = await emptyTestDatabase();
    const other = new pg.Client({ connectionString: empty.url });
    await other.connect();
    onTestFinished(() => other.end().then(empty.drop));
    await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
    const { child, outcome } = startAccountProcess(['list'], { DATABASE_URL: empty.url });
    const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE NOT granted AND locktype = 'advisory' AND datname = current_database()`;
    await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
    child.kill('SIGHUP');
    expect(await outcome).toEqual({ exitCode: 130, output: '', remarks: `${IN_DATABASE}interrupted\n` });
  });
});
