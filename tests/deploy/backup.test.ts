import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openConnection } from '../../server/database/connection.ts';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { query } from '../support/query.ts';
import { startTcpProxy } from '../support/tcpProxy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitingForLock } from '../support/waitingForLock.ts';
import { backUp, dumpsIn, setpriv } from './backUp.ts';
import { startPgbouncer } from './pgbouncer.ts';
import { type SystemPostgres, startSystemPostgres } from './systemPostgres.ts';

const SCRATCH = 'audio_restore_test';
const ROLE_MAY_NOT =
  'Backups are not restored for a test, because the role that makes them may not create a database (CREATEDB)\n';

let used: SystemPostgres;
let former: SystemPostgres;
let folder: string;

beforeAll(async () => {
  [used, former] = await Promise.all([newServer('Radio Nueva'), newServer('Radio Antigua')]);
  return async () => {
    await used.close();
    await former.close();
  };
});
beforeEach(() => {
  folder = temporaryFolder();
});
async function newServer(company: string): Promise<SystemPostgres> {
  const postgres = await startSystemPostgres();
  await postgres.asSuperuser(`CREATE ROLE audio LOGIN PASSWORD 'pass''w\\o@rd'`);
  await postgres.asSuperuser(
    `CREATE DATABASE audio OWNER audio ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`,
  );
  await applyMigrations(postgres.url);
  await query(
    postgres.url,
    `INSERT INTO accounts (id, username, password_hash, company) VALUES ('1', 'radio', '-', '${company}')`,
  );
  return postgres;
}

function backUpFrom(
  { url, env: { PATH } }: Pick<SystemPostgres, 'url' | 'env'>,
  variables: Record<string, string> = {},
  programs: Record<string, string> = {},
) {
  return backUp([], { PATH, DATABASE_URL: url, STATE_DIRECTORY: folder, ...variables }, programs);
}

/** The superuser sees everything and may do everything. */
const asPostgres = () => used.url.replace('audio@', 'postgres@');
const backups = () => dumpsIn(folder);
const stampOf = (time: number) => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');
const backupOf = (time: number) => `audio-${stampOf(time)}.dump`;
const write = (name: string, content = '') => writeFileSync(path.join(folder, name), content);

async function accountsIn(dump: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'pg_restore',
    ['--data-only', '--table=accounts', '--file=-', path.join(folder, dump)],
    { env: { PATH: used.env.PATH } },
  );
  return stdout;
}

const scratch = () => used.asSuperuser(`SELECT FROM pg_database WHERE datname = '${SCRATCH}'`);

test('the backup holds the rows that the instances use', async () => {
  const { stdout } = await backUpFrom(used);
  const [dump = ''] = backups();
  expect(stdout).toBe(
    `Backed up the database audio: ${folder}/${dump}\nRestored the backup for a test: 1 accounts\n`,
  );
  expect(await accountsIn(dump)).toContain('Radio Nueva');
});

test.each([
  ['with quotes in its password', (url: string) => url.replace('audio@', "audio:pa'ss\\w@rd@")],
  [
    'with options of other libraries',
    (url: string) => `${url}?schema=public&sslmode=disable&connection_limit=5`,
  ],
])('the backup finds the instances’ database by an address %s', async (_case, change) => {
  await backUpFrom(used, { DATABASE_URL: change(used.url) });
  expect(backups()).toHaveLength(1);
});

describe('behind PgBouncer', () => {
  beforeAll(async () => {
    await used.asSuperuser("ALTER ROLE postgres PASSWORD 'secreto'");
    return async () => void (await used.asSuperuser('ALTER ROLE postgres PASSWORD NULL'));
  });
  const pooled = (changes = {}) => startPgbouncer(used.url.replace('audio@', 'postgres:secreto@'), changes);

  test('nothing is backed up where settings of the backup would stay for the instances', async () => {
    const DATABASE_URL = await pooled();
    await expect(backUpFrom(used, { DATABASE_URL })).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^DATABASE_URL leads to a pooler, .* DATABASE_DIRECT_URL /),
    });
    expect(backups()).toEqual([]);
  });

  test('the backup takes the direct address', async () => {
    await backUpFrom(used, { DATABASE_URL: await pooled(), DATABASE_DIRECT_URL: used.url });
    expect(backups()).toHaveLength(1);
  });

  test('a backup by whole sessions is made', async () => {
    write('restored');
    await backUpFrom(used, {
      DATABASE_URL: await pooled({ 'pool_mode = transaction': 'pool_mode = session' }),
    });
    expect(backups()).toHaveLength(1);
  });
});

test('a database without our tables is not backed up, and nothing that was is touched', async () => {
  await used.asSuperuser('CREATE DATABASE empty OWNER audio TEMPLATE template0');
  onTestFinished(async () => void (await used.asSuperuser('DROP DATABASE empty')));
  write(backupOf(daysAgo(20)));
  await expect(
    backUpFrom(used, { DATABASE_URL: used.url.replace(/audio$/, 'empty'), TEXTFILE_DIRECTORY: folder }),
  ).rejects.toMatchObject({
    code: 78,
    stderr: 'The database empty holds none of our tables, so it was not backed up\n',
  });
  expect(backups()).toHaveLength(1);
  expect(existsSync(path.join(folder, 'audio-backup.prom'))).toBe(false);
});

test('a database that has lost all its accounts is backed up once somebody says so', async () => {
  await backUpFrom(used);
  const accounts = await query(used.url, 'DELETE FROM accounts RETURNING *');
  onTestFinished(async () => {
    for (const { id, company } of accounts)
      await query(
        used.url,
        `INSERT INTO accounts (id, username, password_hash, company) VALUES ('${id}', 'radio', '-', '${company}')`,
      );
  });
  const refused = backUpFrom(used);
  await expect(refused).rejects.toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/held 1 at the last backup.* run once: rm .*\/accounts\n$/),
  });
  expect(backups()).toHaveLength(1);
  const { stderr } = await refused.catch((error) => error);
  await promisify(execFile)('sh', ['-c', stderr.slice(stderr.indexOf('rm '))]);
  // The name of a backup is a second.
  await expect.poll(async () => (await backUpFrom(used)) && backups().length).toBeGreaterThan(1);
});

test('a backup that fails leaves no file', async () => {
  await expect(
    backUpFrom(used, { DATABASE_URL: 'postgresql://audio@127.0.0.1:1/audio' }),
  ).rejects.toMatchObject({
    code: 1,
  });
  expect(backups()).toEqual([]);
});

test('a backup waits for a database that is not there yet', async () => {
  const proxy = await startTcpProxy(Number(used.env.PGPORT));
  onTestFinished(proxy.close);
  proxy.set('silent');
  const running = backUpFrom(used, {
    DATABASE_URL: used.url.replace(used.env.PGPORT, String(proxy.port)),
    AUDIO_BACKUP_PATIENCE: '600',
    AUDIO_BACKUP_PAUSE: '0',
    AUDIO_BACKUP_LIMIT: '1',
  });
  let told = '';
  running.child.stderr?.on('data', (text) => {
    told += text;
    if (told.includes('Trying again')) proxy.set('pass');
  });
  await running;
  expect(told).toContain('psql took longer than 1 s\n');
  expect(backups()).toHaveLength(1);
});

test('a backup gives up when somebody keeps a table locked', async () => {
  const holder = await openConnection(used.url, { timeoutMs: MINUTE_MS });
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE accounts');
  await expect(backUpFrom(used, { AUDIO_BACKUP_LOCK_WAIT: '1' })).rejects.toMatchObject({ code: 1 });
  expect(backups()).toEqual([]);
});

test('a second backup at the same time is refused', async () => {
  const holder = await openConnection(used.url, { timeoutMs: MINUTE_MS });
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE accounts');
  const running = backUpFrom(used);
  await waitingForLock(asPostgres());
  await expect(backUpFrom(used)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Another backup/),
  });
  await holder.query('ROLLBACK');
  await running;
  expect(backups()).toHaveLength(1);
});

test('a backup that is ended leaves neither a program nor a file', async () => {
  const holder = await openConnection(used.url, { timeoutMs: MINUTE_MS });
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE accounts');
  const running = backUpFrom(used);
  await waitingForLock(asPostgres());
  running.child.kill('SIGTERM');
  await expect(running).rejects.toMatchObject({ code: 143 });
  await waitingForLock(asPostgres(), 0);
  await expect.poll(backups).toEqual([]);
});

test('what a power cut left half-written goes', async () => {
  write('audio-20260101T043000Z.dump.part');
  await backUpFrom(used);
  expect(backups()).toEqual([expect.stringMatching(/Z\.dump$/)]);
});

const daysAgo = (days: number) => Date.now() - days * DAY_MS;

test('the newest 14 backups stay, however old they are', async () => {
  const old = Array.from({ length: 20 }, (_, index) => backupOf(daysAgo(100 - index)));
  for (const name of old) write(name);
  await backUpFrom(used);
  expect(backups().slice(0, -1)).toEqual(old.slice(-13));
});

test('all backups of the last 14 days stay, however many they are', async () => {
  const recent = Array.from({ length: 20 }, (_, index) => backupOf(daysAgo(13) + index * MINUTE_MS));
  for (const name of [backupOf(daysAgo(15)), ...recent]) write(name);
  await backUpFrom(used);
  expect(backups().slice(0, -1)).toEqual(recent);
});

test('a backup that is dated in the future is told of, and stays', async () => {
  const future = backupOf(Date.now() + 400 * DAY_MS);
  const old = Array.from({ length: 14 }, (_, index) => backupOf(daysAgo(100 - index)));
  for (const name of [...old, future]) write(name);
  await expect(backUpFrom(used)).rejects.toMatchObject({
    code: 1,
    stderr: `${folder}/${future} is dated in the future: correct the clock, then rename or remove it\n`,
  });
  expect(backups()).toEqual([...old.slice(1), expect.stringMatching(/Z\.dump$/), future]);
});

test('backups are restored for a test once a week', async () => {
  const restored = async () => (await backUpFrom(used)).stdout.includes('Restored the backup');
  const tested = [await restored(), await restored()];
  const lastTime = new Date(daysAgo(7));
  utimesSync(path.join(folder, 'restored'), lastTime, lastTime);
  tested.push(await restored());
  // The last test was made while the clock was wrong.
  const future = new Date(daysAgo(-400));
  utimesSync(path.join(folder, 'restored'), future, future);
  tested.push(await restored());
  expect(tested).toEqual([true, false, true, true]);
  expect(await scratch()).toEqual([]);
});

const inDatabase = (statements: string) => query(asPostgres(), statements);

test('a backup that cannot be restored is told of, and its scratch database dropped', async () => {
  // A key of an account that does not exist, as a damaged index leaves it.
  await inDatabase(`SET session_replication_role = replica;
    INSERT INTO account_keys (id, account_id, name, kind, key_hash, expires_at)
      VALUES (gen_random_uuid(), 'none', 'k', 'TOOL', 'x', now())`);
  onTestFinished(async () => void (await inDatabase('DELETE FROM account_keys')));
  await expect(backUpFrom(used, { TEXTFILE_DIRECTORY: folder })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/account_keys_account_id_fkey.*Z\.dump cannot be restored\n$/s),
  });
  expect(await scratch()).toEqual([]);
  expect(backups()).toHaveLength(1);
  expect(readFileSync(path.join(folder, 'audio-backup.prom'), 'utf8')).toContain(
    'audio_backup_restored_timestamp_seconds 0\n',
  );
});

test('programs of PostgreSQL 17 restore a backup into a server 15 for a test', async () => {
  // Says what theirs says, and does as the server that does not know it.
  const programs = {
    pg_restore: `#!/bin/sh
      case "$*" in
        *--dbname=*) echo 'ERROR: unrecognized configuration parameter "transaction_timeout"' >&2; exit 1 ;;
        *--file=-*) echo 'SET transaction_timeout = 0;' ;;
      esac
      PATH=\${PATH#*:} exec pg_restore "$@"`,
  };
  const { stdout } = await backUpFrom(used, {}, programs);
  expect(stdout).toContain('Restored the backup for a test: 1 accounts\n');
});

test('what a killed test of a restore left is dropped', async () => {
  await used.asSuperuser(`CREATE DATABASE ${SCRATCH}`);
  await used.asSuperuser(`COMMENT ON DATABASE ${SCRATCH} IS 'Scratch database of audio-backup'`);
  await backUpFrom(used);
  expect(await scratch()).toEqual([]);
});

test('a database of the scratch database’s name that somebody else made stays', async () => {
  await used.asSuperuser(`CREATE DATABASE ${SCRATCH}`);
  onTestFinished(async () => void (await used.asSuperuser(`DROP DATABASE ${SCRATCH}`)));
  await expect(backUpFrom(used)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(SCRATCH) });
  expect(await scratch()).toHaveLength(1);
});

/** As the socket of this machine would be, where the instances' server is on another one. */
const onAnotherMachine = () => ({ setpriv: setpriv(former.env.PGPORT) });

test('a role that may not create databases is told of once', async () => {
  const told = async () => (await backUpFrom(used, {}, onAnotherMachine())).stderr;
  expect([await told(), await told()]).toEqual([ROLE_MAY_NOT, '']);
});

test('on another machine a role that may create databases restores the backup for a test', async () => {
  await used.asSuperuser('ALTER ROLE audio CREATEDB');
  onTestFinished(async () => void (await used.asSuperuser('ALTER ROLE audio NOCREATEDB')));
  expect(await backUpFrom(used, {}, onAnotherMachine())).toMatchObject({
    stdout: expect.stringContaining('Restored the backup for a test: 1 accounts\n'),
    stderr: '',
  });
});

test('the backups are copied by the command of the operator', async () => {
  mkdirSync(path.join(folder, 'elsewhere'));
  const copy = { AUDIO_BACKUP_COPY: `cp ${folder}/*.dump ${folder}/elsewhere/`, TEXTFILE_DIRECTORY: folder };
  await backUpFrom(used, copy);
  expect(dumpsIn(path.join(folder, 'elsewhere'))).toEqual(backups());
  expect(metrics()).toContain('audio_backup_copied_timestamp_seconds');
});

test('the command that copies gets no secret of the instances', async () => {
  const secrets = {
    JWT_SECRET: 'uno',
    JWT_SECRET_PREVIOUS: 'uno',
    PROVIDER_TOKEN_URL: 'dos',
    STREAM_BASE_URL: 'dos',
  };
  await backUpFrom(used, {
    ...secrets,
    DATABASE_DIRECT_URL: used.url,
    AUDIO_BACKUP_COPY: `env > ${folder}/environment`,
  });
  const environment = readFileSync(path.join(folder, 'environment'), 'utf8');
  expect(environment).not.toMatch(/=(?:uno|dos)$|PGPASSWORD|DATABASE_/m);
});

test('a copy that fails is told of, and the backup stays', async () => {
  await expect(
    backUpFrom(used, { AUDIO_BACKUP_COPY: '(exit 3) | cat', TEXTFILE_DIRECTORY: folder }),
  ).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The backups were not copied: AUDIO_BACKUP_COPY ended with 3 /),
  });
  expect(backups()).toHaveLength(1);
  expect(metrics()).not.toContain('audio_backup_copied_timestamp_seconds');
});

test('a folder of metrics that cannot be written stops no copy', async () => {
  mkdirSync(path.join(folder, 'audio-backup.prom.part'));
  const copy = { AUDIO_BACKUP_COPY: `touch ${folder}/was-copied`, TEXTFILE_DIRECTORY: folder };
  await expect(backUpFrom(used, copy)).rejects.toMatchObject({ code: 1 });
  expect(existsSync(path.join(folder, 'was-copied'))).toBe(true);
});

test('Prometheus is told when a backup and its restored copy were made', async () => {
  const before = Math.floor(Date.now() / SECOND_MS);
  await backUpFrom(used, { TEXTFILE_DIRECTORY: folder });
  const file = path.join(folder, 'audio-backup.prom');
  const times = [...readFileSync(file, 'utf8').matchAll(/^(\w+) (\d+)$/gm)];
  expect(times.map(([, name]) => name)).toEqual([
    'audio_backup_timestamp_seconds',
    'audio_backup_restored_timestamp_seconds',
  ]);
  for (const [, , time] of times) expect(Number(time)).toBeGreaterThanOrEqual(before);
  // The exporter runs as a user of its own.
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

const metrics = () =>
  [...readFileSync(path.join(folder, 'audio-backup.prom'), 'utf8').matchAll(/^\w+/gm)].map(([name]) => name);
