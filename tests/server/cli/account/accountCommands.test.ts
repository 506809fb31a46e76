import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { databaseName } from '../../../../server/cli/locateDatabase.ts';
import { verifyPassword } from '../../../../server/signIn/password.ts';
import { createTokenLedger } from '../../../../server/streamTokens/tokenLedger.ts';
import { DAY_MS, MINUTE_MS } from '../../../../shared/durations.ts';
import { query } from '../../../support/query.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { createTestDatabase, emptyTestDatabase } from '../../../support/testDatabase.ts';
import {
  done,
  provideAccountsDatabase,
  refused,
  runAccountHere,
  startAccountProcess,
} from '../runAccount.ts';
import { terminalInput } from '../terminalInput.ts';

const USERNAME = 'radio@uno.example';
const OTHER = 'radio@dos.example';
const COMPANY = 'Radio Uno';
const PASSWORD = ' Exacta, Ñandú 🎧 ';
const NOW = new Date('2026-11-22T12:00:00Z');
const LONG_AGO = new Date('2020-01-01');
const OF_ACCOUNT = ['--username', USERNAME];
const ADD = ['add', ...OF_ACCOUNT, '--company', COMPANY];

const database = provideAccountsDatabase();
const { run } = database;

const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const accountOf = (username: string) =>
  database.prisma.account.findUniqueOrThrow({ where: { username }, include: { sessions: true, keys: true } });

function addAccount(
  username: string,
  fields: { company?: string; disabled?: boolean; validUntil?: Date } = {},
) {
  const expiresAt = new Date(Date.now() + MINUTE_MS);
  const key = { name: 'recorder', kind: 'TOOL', keyHash: Buffer.from(username), expiresAt } as const;
  const sessions = { create: { id: randomUUID(), expiresAt, credentialsVersion: 0 } };
  return database.addAccount({ username, ...fields, sessions, keys: { create: key } });
}

async function listed(...options: string[]) {
  return JSON.parse((await run(['list', '--json', ...options], { clock: () => NOW })).output);
}

test('add stores exactly the password of standard input, as an argon2id hash', async () => {
  const outcome = await run(ADD, { input: `${PASSWORD}\n` });
  const { id, company, disabled, passwordHash } = await accountOf(USERNAME);
  const remark = 'The password begins or ends with a space, which must be typed too when signing in\n';
  expect(outcome).toEqual(done(`Added ${USERNAME} (${COMPANY}) with id ${id}`, remark));
  expect([company, disabled]).toEqual([COMPANY, false]);
  expect(passwordHash).toMatch(/^\$argon2id\$/);
  expect(await verifyPassword(passwordHash, PASSWORD)).toBe(true);
});

test.each([
  ['add', ADD],
  ['set-password', ['set-password', ...OF_ACCOUNT]],
])('%s remarks on a piped password that a keyboard types otherwise', async (command, args) => {
  if (command !== 'add') await addAccount(USERNAME);
  const { exitCode, remarks } = await run(args, { input: `${'contraseña'.normalize('NFD')} \n` });
  expect([exitCode, remarks.split('\n').length]).toEqual([0, 3]);
  expect(remarks).toMatch(/^The password has decomposed letters, /m);
  expect(remarks).toMatch(/^The password begins or ends with a space, /m);
});

test.each([
  ['add', [...ADD.slice(0, 1), '--username', 'señal@uno'.normalize('NFD'), ...ADD.slice(3)]],
  ['rename', ['rename', ...OF_ACCOUNT, '--to', 'señal@uno'.normalize('NFD')]],
])('%s remarks on a username that a keyboard types otherwise', async (command, args) => {
  if (command !== 'add') await addAccount(USERNAME);
  const { remarks } = await run(args, { input: PASSWORD.trim() });
  expect(remarks).toMatch(/^The username has decomposed letters, /m);
});

test('a password is refused as an argument', async () => {
  expect(await run([...ADD, '--password', 'secreto-1'])).toEqual(refused('a password is not taken', 2));
  expect(await database.prisma.account.count()).toBe(0);
});

test('add prints only a generated password, before it looks for similar usernames', async () => {
  await addAccount(USERNAME.toUpperCase());
  const said: string[] = [];
  const output = new PassThrough().on('data', () => said.push('the password'));
  const onRemark = (text: string) => said.push(text.includes('is another account') ? 'a remark' : 'Added');
  const { output: password } = await run([...ADD, '--generate'], { output, onRemark });
  expect(said.slice(-3)).toEqual(['Added', 'the password', 'a remark']);
  const { passwordHash } = await accountOf(USERNAME);
  expect(await verifyPassword(passwordHash, password.replace(/\n$/, ''))).toBe(true);
});

test('add escapes invisible characters in what it prints', async () => {
  const username = 'radio\u202euno';
  const { output } = await run(['add', '--username', username, '--company', COMPANY], { input: PASSWORD });
  expect(output).toContain('Added radio\\u202euno (');
});

test('add refuses a taken username without asking for a password', async () => {
  await addAccount(USERNAME);
  expect(await run(ADD, { input: terminalInput() })).toEqual(
    refused('error: there is already an account with this username\n'),
  );
});

test.each([
  ['an outer blank', `${USERNAME} `, COMPANY, PASSWORD, 'username begins or ends with a blank'],
  ['a blank company', USERNAME, '', PASSWORD, 'company is blank'],
  ['a short password', USERNAME, COMPANY, 'corta', 'password is shorter than 6 characters'],
])('add refuses %s', async (_what, username, company, input, message) => {
  const outcome = await run(['add', '--username', username, '--company', company], { input });
  expect(outcome).toEqual(refused(message, 2));
  expect(await database.prisma.account.count()).toBe(0);
});

test.each([
  ['add', ['add', '--username', USERNAME.toUpperCase(), '--company', COMPANY]],
  ['rename', ['rename', '--username', OTHER, '--to', USERNAME.toUpperCase()]],
])('%s names the account whose username differs in case alone', async (_command, args) => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const { exitCode, remarks } = await run(args, { input: PASSWORD });
  expect([exitCode, remarks]).toEqual([0, expect.stringContaining(`${USERNAME} is another account`)]);
});

const at = (args: string[], clock = () => NOW) => run(args, { input: PASSWORD, clock });

test.each([
  ['2026-12-31', '2027-01-01T00:00:00.000Z', '2026-12-31T23:59:59Z'],
  ['2026-12-31T22:00-05:00', '2027-01-01T03:00:00.000Z', '2027-01-01T03:00:00Z'],
  ['2026-11-22', '2026-11-23T00:00:00.000Z', '2026-11-22T23:59:59Z'],
  ['9999-12-31T23:59Z', '9999-12-31T23:59:00.000Z', '9999-12-31T23:59:00Z'],
])('the end of an account is set by --until %s to %s', async (typed, end, inAudit) => {
  await at([...ADD, '--until', typed]);
  expect((await accountOf(USERNAME)).validUntil?.toISOString()).toBe(end);
  expect(await database.prisma.auditLine.findFirst()).toMatchObject({
    details: `${COMPANY}, until ${inAudit}`,
  });
});

test.each(['2026-02-30', '2026-12-31T22:00', '2026-12-31T25:00Z', '2026-11-21'])(
  'the end of an account is not taken from %s',
  async (typed) => {
    expect(await at([...ADD, '--until', typed])).toEqual(refused('--until', 2));
    expect(await database.prisma.account.count()).toBe(0);
  },
);

test.each(['9999-12-31', '9999-12-31T23:00-05:00'])(
  'the end of an account is refused beyond the year 9999, as --until %s',
  async (typed) => {
    expect(await at([...ADD, '--until', typed])).toEqual(refused('For no end, write none.', 2));
  },
);

test('list tells whether an account is open', async () => {
  await database.addAccount({ username: 'a@uno', validUntil: LONG_AGO, disabled: true });
  await database.addAccount({ username: 'b@uno', validUntil: LONG_AGO });
  await database.addAccount({ username: 'c@uno', validUntil: new Date('2099-01-01') });
  expect((await run(['list'])).output.match(/enabled|disabled|EXPIRED/g)).toEqual([
    'disabled',
    'EXPIRED',
    'enabled',
  ]);
});

test('list shows an end beyond the year 9999, which release 2.0.0 took', async () => {
  await database.addAccount({ username: USERNAME });
  await database.prisma.$executeRaw`UPDATE accounts SET valid_until = '10000-01-01T00:00:00Z'`;
  expect(await run(['list'])).toMatchObject({ exitCode: 0, output: expect.stringContaining('after 9999') });
});

test('the end of an account is moved or removed by extend', async () => {
  await database.addAccount({ username: USERNAME, validUntil: NOW });
  const extend = (until: string) => at(['extend', ...OF_ACCOUNT, '--until', until]);
  expect(await extend('2027-06-30')).toEqual(done(`${USERNAME} works until 2027-06-30T23:59:59Z`));
  expect((await accountOf(USERNAME)).validUntil).toEqual(new Date('2027-07-01T00:00:00Z'));
  expect((await extend('2027-06-30T22:00-05:00')).output).toContain('2027-07-01T03:00:00Z');
  await extend('none');
  expect((await accountOf(USERNAME)).validUntil).toBeNull();
});

test('the end of an account selects by list --expiring the open accounts that end soon', async () => {
  const now = new Date();
  const at = (days: number) => new Date(now.getTime() + days * DAY_MS);
  await database.addAccount({ username: USERNAME, validUntil: at(30) });
  await database.addAccount({ username: 'ended@uno', validUntil: LONG_AGO });
  await database.addAccount({ username: 'later@uno', validUntil: at(31) });
  await database.addAccount({ username: 'disabled@uno', validUntil: at(1), disabled: true });
  await addAccount(OTHER);
  const { output } = await run(['list', '--json', '--expiring', '30'], { clock: () => now });
  expect(JSON.parse(output)).toMatchObject([{ username: USERNAME }]);
});

test('--id names an account in place of --username', async () => {
  const { id } = await addAccount(USERNAME);
  expect((await run(['disable', '--id', id])).exitCode).toBe(0);
  expect(await run(['disable', '--id', 'nadie'])).toEqual(refused('there is no account with that id'));
});

test.each([[[]], [[...OF_ACCOUNT, '--id', 'uno']]])('--id with %j is wrong usage', async (args) => {
  expect(await run(['unlock', ...args])).toEqual(refused('--id', 2));
});

test('end-sessions counts the valid sign-ins that it ends', async () => {
  const { id: accountId } = await database.addAccount({ username: USERNAME });
  await addAccount(OTHER);
  const valid = { accountId, lastUsedAt: NOW, expiresAt: inDays(1) };
  await database.prisma.session.createMany({
    data: [
      valid,
      valid,
      valid,
      { ...valid, expiresAt: NOW },
      { ...valid, lastUsedAt: inDays(-15) },
      { ...valid, credentialsVersion: 1 },
    ].map((session) => ({ id: randomUUID(), ...session })),
  });
  const outcome = await run(['end-sessions', ...OF_ACCOUNT], { clock: () => NOW });
  expect(outcome).toEqual(done(`Ended 3 sessions of ${USERNAME}`));
  expect((await database.prisma.session.findMany()).map((left) => left.accountId)).not.toContain(accountId);
  expect(await database.prisma.session.count()).toBe(1);
});

test('a wildcard of SQL in a username is a character like others', async () => {
  await addAccount('radio-uno@example');
  const args = ['add', '--username', 'RADIO_UNO@example', '--company', COMPANY];
  expect(await run(args, { input: PASSWORD.trim() })).toMatchObject({ exitCode: 0, remarks: '' });
});

test.each([
  ['company', 'ÚNICA', [OTHER]],
  ['username', '@UNO', [USERNAME]],
  ['id', '-UNO', [USERNAME]],
  ['nothing', 'nadie', []],
])('list --search finds a part of %s in any case', async (_what, text, found) => {
  await database.addAccount({ id: 'b', username: OTHER, company: 'Emisora Única' });
  await database.addAccount({ id: 'a-uno', username: USERNAME });
  const accounts: { username: string }[] = await listed('--search', text);
  expect(accounts.map(({ username }) => username)).toEqual(found);
});

test('list --search takes the wildcards of SQL for characters', async () => {
  await database.addAccount({ username: USERNAME });
  const { username } = await database.addAccount({ username: '100%_radio@dos.example' });
  for (const text of ['%', '_', '0%_R']) expect(await listed('--search', text)).toMatchObject([{ username }]);
});

test('list tells the last token that an account was given', async () => {
  const { id: accountId } = await addAccount(USERNAME);
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 21, minute));
  const ledger = createTokenLedger(database.prisma);
  const caller = {
    accountId,
    callerId: randomUUID(),
    keyName: null,
    address: null,
    client: 'TOOL',
  } as const;
  const issued = { token: 'x', expiry: NOW };
  for (const [minute, outcome] of [issued, issued, 'PROVIDER_UNAVAILABLE' as const].entries()) {
    await ledger.record({ ...caller, createdAt: at(minute), outcome });
  }
  expect(await listed()).toMatchObject([{ lastTokenAt: at(1).toISOString() }]);
});

test('list shows every account by username', async () => {
  const second = await addAccount(OTHER, { company: 'Radio Dos, la más larga', disabled: true });
  const first = await addAccount('otra@uno', { validUntil: new Date('2099-01-01T00:00:00Z') });
  const created = [first, second].map(({ createdAt }) => createdAt.toISOString());
  expect(await run(['list'])).toEqual(
    done(
      `USERNAME           COMPANY                  STATE     UNTIL (UTC)           KEYS  CREATED (UTC)             LAST SIGN-IN (UTC)  LAST TOKEN (UTC)  ID
otra@uno           Radio Uno                enabled   2098-12-31T23:59:59Z     1  ${created[0]}  -                   -                 ${first.id}
${OTHER}  Radio Dos, la más larga  disabled  -                        0  ${created[1]}  -                   -                 ${second.id}`,
    ),
  );
});

test('list without accounts says so', async () => {
  expect(await run(['list'])).toEqual(done('No accounts yet.'));
  expect(await run(['list', '--search', '30'])).toEqual(done('No account matches.'));
  expect(await run(['list', '--expiring', '30'])).toEqual(done('No account matches.'));
});

test('list --json has no hashes', async () => {
  await addAccount(USERNAME);
  const fields = 'company createdAt disabled id keys lastSignInAt lastTokenAt updatedAt username validUntil';
  expect(Object.keys((await listed())[0]).sort()).toEqual(fields.split(' '));
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

test.each([
  ['unlock', [], { attemptsVersion: 1 }],
  ['rename', ['--to', OTHER], { username: OTHER, attemptsVersion: 1 }],
  ['set-company', ['--company', 'Radio Dos'], { company: 'Radio Dos' }],
])('%s %j changes only %j', async (command, options, changes) => {
  await addAccount(USERNAME);
  const before = await accountOf(USERNAME);
  expect((await run([command, ...OF_ACCOUNT, ...options])).exitCode).toBe(0);
  const { username } = { ...before, ...changes };
  expect(await accountOf(username)).toEqual({ ...before, ...changes, updatedAt: expect.any(Date) });
});

test('an account that was disabled opens again without its keys', async () => {
  const { id: accountId } = await addAccount(USERNAME);
  await addAccount(OTHER);
  const other = await accountOf(OTHER);
  await run(['disable', ...OF_ACCOUNT]);
  expect(await accountOf(USERNAME)).toMatchObject({ disabled: true, credentialsVersion: 1, keys: [] });
  expect(await accountOf(OTHER)).toEqual(other);
  // Added while the account was being disabled.
  await database.prisma.accountKey.updateMany({ data: { accountId } });
  await run(['enable', ...OF_ACCOUNT]);
  expect(await accountOf(USERNAME)).toMatchObject({ disabled: false, credentialsVersion: 1, keys: [] });
});

test('rename refuses a username that is taken or begins or ends with a blank', async () => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const renamed = (to: string) => run(['rename', ...OF_ACCOUNT, '--to', to]);
  expect(await renamed(OTHER)).toEqual(refused('already an account with this username'));
  expect(await renamed(` ${OTHER}`)).toEqual(refused('begins or ends with a blank', 2));
});

test('set-company says what changed, or that nothing did', async () => {
  await addAccount(USERNAME);
  const setCompany = (company: string) => run(['set-company', ...OF_ACCOUNT, '--company', company]);
  expect(await setCompany('Radio Dos')).toEqual(
    done(`${USERNAME} is now of Radio Dos, before of ${COMPANY}`),
  );
  expect(await setCompany('Radio Dos')).toEqual(done(`${USERNAME} is of Radio Dos already`));
});

test.each([
  ['add', ['add', '--username', OTHER]],
  ['set-company', ['set-company', ...OF_ACCOUNT]],
])('%s refuses a company that begins or ends with a blank', async (_command, args) => {
  await addAccount(USERNAME);
  for (const company of [' Radio Dos', 'Radio Dos\u00a0']) {
    expect(await run([...args, '--company', company], { input: PASSWORD })).toEqual(
      refused('company begins or ends with a blank', 2),
    );
  }
});

test.each([
  ['deleted', () => database.prisma.account.deleteMany()],
  ['renamed', () => database.prisma.account.updateMany({ data: { username: OTHER } })],
  ['of another company', () => database.prisma.account.updateMany({ data: { company: 'Radio Dos' } })],
  ['given a password', () => database.prisma.account.updateMany({ data: { credentialsVersion: 1 } })],
])('a command changes nothing of an account that was %s since it was found', async (_what, change) => {
  await addAccount(USERNAME);
  const state = () => database.prisma.account.findMany({ include: { keys: true } });
  const input = terminalInput();
  let changed: unknown;
  // Nothing reads the input before the question does.
  input.once('resume', async () => {
    await change();
    changed = await state();
    input.write('yes\n');
  });
  expect(await run(['delete', ...OF_ACCOUNT], { input })).toEqual(
    refused('error: the account was changed meanwhile: run it again\n'),
  );
  expect(await state()).toEqual(changed);
  expect(await database.prisma.auditLine.count()).toBe(0);
});

test('rename says what it did before it looks for similar usernames', async () => {
  await addAccount(USERNAME);
  await addAccount(OTHER);
  const told: string[] = [];
  const output = new PassThrough().on('data', (chunk) => told.push(String(chunk)));
  const args = ['rename', '--username', OTHER, '--to', USERNAME.toUpperCase()];
  await run(args, { output, onRemark: (remark) => told.push(remark) });
  expect(told.slice(-2)).toEqual([
    expect.stringContaining('is now'),
    expect.stringContaining('another account'),
  ]);
});

const DELETE = ['delete', ...OF_ACCOUNT];
const QUESTION = `Delete ${USERNAME} (${COMPANY}), its sessions and keys? Type its username, or yes: `;

const typing = (typed: string) => {
  const input = terminalInput();
  if (typed.endsWith('\n')) input.write(typed);
  else input.end(typed);
  return run(DELETE, { input });
};

test.each(['yes', USERNAME])('delete removes one account whole after the answer %s', async (answer) => {
  for (const username of [USERNAME, OTHER]) await addAccount(username);
  expect(await typing(`${answer}\n`)).toEqual(done(`Deleted ${USERNAME}, its sessions and keys`, QUESTION));
  expect(await database.prisma.account.findMany()).toMatchObject([{ username: OTHER }]);
  expect(await database.prisma.session.count()).toBe(1);
  expect(await database.prisma.accountKey.count()).toBe(1);
});

test.each([
  ['another answer', 'y\n'],
  ['the end of input', ''],
])('delete removes nothing after %s', async (_what, typed) => {
  await addAccount(USERNAME);
  expect(await typing(typed)).toEqual(refused('Nothing was deleted\n'));
  expect(await database.prisma.account.count()).toBe(1);
});

test('delete removes nothing when interrupted at the question', async () => {
  await addAccount(USERNAME);
  const interruption = new AbortController();
  const input = terminalInput();
  // Nothing reads the input before the question does.
  input.once('resume', () => interruption.abort());
  expect(await run(DELETE, { input, interruption })).toEqual(refused('interrupted\n', 130));
  expect(await database.prisma.account.count()).toBe(1);
});

test('delete needs --yes without a terminal', async () => {
  await addAccount(USERNAME);
  expect(await run(DELETE, { input: 'yes\n' })).toEqual(refused('--yes', 2));
});

test('delete works again after the account was imported again with its old id', async () => {
  const { id } = await addAccount(USERNAME);
  await run([...DELETE, '--yes']);
  await database.addAccount({ id, username: USERNAME, company: 'Radio Otra' });
  expect(await run([...DELETE, '--yes'])).toMatchObject({ exitCode: 0 });
  expect(await database.prisma.deletedAccount.findMany()).toMatchObject([{ id, company: 'Radio Otra' }]);
});

const refusing = (code: string) => {
  const error = Object.assign(new Error(code), { code });
  return new Writable({ write: (_chunk, _encoding, next) => next(error) }).on('error', () => {});
};

test('output that cannot be written fails the command on a full disk', async () => {
  expect(await run(['list'], { output: refusing('ENOSPC') })).toEqual(refused('ENOSPC'));
});

test('output that cannot be written ends a command well whose reader had enough', async () => {
  const { child, outcome } = startAccountProcess(['list'], { DATABASE_URL: database.url });
  child.stdout.destroy();
  expect(await outcome).toEqual({ exitCode: 0, output: '', remarks: '' });
});

test.each(['ENOSPC', 'EPIPE'])(
  'output that cannot be written loses a generated password with a remedy (%s)',
  async (code) => {
    const outcome = await run([...ADD, '--generate'], { output: refusing(code) });
    expect(outcome).toEqual(refused('choose another with set-password'));
  },
);

test.each([
  ['an unknown command', ['remove'], "error: unknown command 'remove'"],
  ['a password', ['set-password', '--password=hunter2'], 'error: a password is not taken as an argument: '],
])('%s is wrong usage', async (_what, args, message) => {
  const outcome = await run(args);
  expect(outcome).toEqual(refused(message, 2));
  expect(outcome.remarks).not.toContain('hunter2');
});

test('the help of a command ends with an example', async () => {
  expect((await run(['rename', '--help'])).output).toMatch(
    /\nExample:\n {2}npm run account -- rename --username .+\n$/,
  );
});

const newest = '(SELECT max(migration_name) FROM _prisma_migrations)';
const forget = `DELETE FROM _prisma_migrations WHERE migration_name = ${newest}`;
test.each([
  ['has no tables yet', emptyTestDatabase, 'SELECT'],
  ['is older than this program', createTestDatabase, forget],
])('the database that %s is refused', async (state, create, change) => {
  const { url, drop } = await create();
  onTestFinished(drop);
  await query(url, change);
  const tables = () => query(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`);
  const before = await tables();
  expect(await runAccountHere(['list'], { url })).toEqual(
    refused(`The database ${state}: run npm run migrate`),
  );
  expect(await tables()).toEqual(before);
});

test('a command refused for a failed migration names the release whose commands work', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const logs = 'ERROR: relation "notices" already exists';
  await query(
    url,
    `UPDATE _prisma_migrations SET finished_at = NULL, logs = '${logs}' WHERE migration_name = ${newest}`,
  );
  const { exitCode, remarks } = await runAccountHere(['disable', ...OF_ACCOUNT], { url });
  expect(exitCode).toBe(1);
  expect(remarks).toContain('use the account commands of the release that serves');
  expect(remarks).toContain('with systemd link /opt/audio to its folder again');
  expect(remarks).toContain('in containers run them in an instance that has its image, such as app-2');
  expect(remarks).toContain(`failed: ${logs}`);
});

test('the database that cannot be reached is named without its user', async () => {
  const DATABASE_DIRECT_URL = 'postgresql://operator:hunter2@127.0.0.1:1/accounts?sslmode=require';
  const env = { DATABASE_URL: database.url, DATABASE_DIRECT_URL };
  const { remarks } = await startAccountProcess(['list'], env).outcome;
  expect(remarks).toMatch(
    /^in the database accounts at 127\.0\.0\.1:1 \(DATABASE_DIRECT_URL\)\nwarning: SECURITY WARNING: .*sslmode.*\nerror: Nothing listens at the host and port in DATABASE_DIRECT_URL: .*\n$/,
  );
});

test("the database without a name is not named as pg does, by the user's name", () => {
  const name = databaseName('postgresql://operator:hunter2@db.example');
  expect(name).toBe('of the default name at db.example:5432');
});

test('the embedded database is not started by account commands', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('DATA_DIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const list = (env: Record<string, string>) => runAccountHere(['list'], { env });
  expect(await list({})).toEqual({
    exitCode: 1,
    output: '',
    remarks: `error: the embedded database under ${folder} does not run: start the server with npm start, or set DATABASE_URL\n`,
  });
  const production = { NODE_ENV: 'production', DATABASE_URL: '' };
  expect(await list(production)).toEqual(refused('DATABASE_URL is required', 78));
  expect(await list({ NODE_ENV: 'prod' })).toEqual(refused('NODE_ENV must be production', 78));
  expect(readdirSync(folder)).toEqual([]);
});

test('a silent database is no longer waited for after a signal', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const DATABASE_URL = `postgresql://audio@127.0.0.1:${port}/audio`;
  const { child, outcome } = startAccountProcess(['list'], { DATABASE_URL });
  await once(silent, 'connection');
  child.kill('SIGHUP');
  expect(await outcome).toMatchObject({
    exitCode: 130,
    output: '',
    remarks: expect.stringMatching(/interrupted\n$/),
  });
});
