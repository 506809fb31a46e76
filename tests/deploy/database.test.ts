import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { parseEnv, promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { query } from '../support/query.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { programsFolder, setpriv } from './backUp.ts';
import { type SystemPostgres, startSystemPostgres } from './systemPostgres.ts';

function audioDatabase(args: string[], env: Record<string, string>, programs: Record<string, string> = {}) {
  const PATH = `${programsFolder(programs)}:${env.PATH ?? process.env.PATH}`;
  return promisify(execFile)('audio-database', args, { env: { ...env, PATH } });
}

async function variablesOf(DATABASE_URL: string, env: Record<string, string> = {}) {
  const { stdout } = await audioDatabase(['printenv'], { DATABASE_URL, ...env });
  const { PATH: _path, ...variables } = parseEnv(stdout);
  return variables;
}

const AUDIO = { PGHOST: 'localhost', PGPORT: '5432', PGUSER: 'audio', PGPASSWORD: 'a', PGDATABASE: 'audio' };

test.each([
  ['postgresql://audio:a@localhost/audio', {}],
  [
    'postgres://audio:S3%2Fcr%40t@[2001:db8::7]:5433/p_2.x-y',
    { PGHOST: '2001:db8::7', PGPORT: '5433', PGPASSWORD: 'S3/cr@t', PGDATABASE: 'p_2.x-y' },
  ],
  ['postgresql://audio:a@%2Frun%2Fpostgresql/audio', { PGHOST: '/run/postgresql' }],
  [
    'postgresql://audio:a@localhost/audio?host=/run/postgresql&port=5433',
    { PGHOST: '/run/postgresql', PGPORT: '5433' },
  ],
  ['postgresql://localhost/audio?user=audio&password=a', {}],
  [
    'postgresql://audio:a@localhost/audio?schema=public&connection_limit=5&sslmode=disable',
    { PGSSLMODE: 'disable' },
  ],
  ['postgresql://audio:a@localhost/audio?sslmode=no-verify', { PGSSLMODE: 'require' }],
  ['postgresql://audio:a@localhost/audio?sslmode=require&uselibpqcompat=true', { PGSSLMODE: 'require' }],
  [
    'postgresql://audio:a@localhost/audio?sslrootcert=/etc/ca.crt',
    { PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/etc/ca.crt' },
  ],
])('libpq finds the database of %s', async (address, others) => {
  expect(await variablesOf(address)).toEqual({ ...AUDIO, ...others });
});

test('what an address lacks comes from the environment, as for pg', async () => {
  const env = { PGPORT: '5433', PGUSER: 'audio', PGPASSWORD: 'a', PGSSLMODE: 'disable', PGOPTIONS: '-c x=y' };
  expect(await variablesOf('postgresql://localhost/audio', env)).toEqual({
    ...AUDIO,
    PGPORT: '5433',
    PGSSLMODE: 'disable',
  });
});

test('the address of DATABASE_DIRECT_URL goes before that of a pooler', async () => {
  const DATABASE_DIRECT_URL = 'postgresql://audio:a@localhost/audio';
  expect(await variablesOf('postgresql://audio:b@pooler/alias', { DATABASE_DIRECT_URL })).toEqual(AUDIO);
});

test('a command gets none of the instances’ secrets', async () => {
  const env = { JWT_SECRET: 'x', PROVIDER_TOKEN_URL: 'x', LANG: 'C.UTF-8' };
  expect(await variablesOf('postgresql://audio:a@localhost/audio', env)).toEqual({
    ...AUDIO,
    LANG: 'C.UTF-8',
  });
});

test.each(['verify-full', 'require'])(
  'libpq checks a certificate by the roots that Node takes (%s)',
  async (sslmode) => {
    const folder = temporaryFolder({ 'ours.crt': 'OURS' });
    const DATABASE_URL = `postgresql://audio:a@db.example/audio?sslmode=${sslmode}`;
    const env = { DATABASE_URL, TMPDIR: folder, NODE_EXTRA_CA_CERTS: path.join(folder, 'ours.crt') };
    const copy = path.join(folder, 'roots');
    const show = `echo $PGSSLMODE $PGSSLROOTCERT; cp "$PGSSLROOTCERT" ${copy}`;
    const { stdout } = await audioDatabase(['sh', '-c', show], env);
    const [mode, file = ''] = stdout.trim().split(' ');
    expect([mode, existsSync(file)]).toEqual(['verify-full', false]);
    const roots = readFileSync(copy, 'utf8');
    expect(roots).toContain('OURS');
    expect(roots).toContain(tls.rootCertificates[0]);
  },
);

test('the list of processes shows no password', async () => {
  const DATABASE_URL = 'postgresql://audio:S3cret@localhost/audio';
  const show = 'tr "\\0" " " < /proc/$PPID/cmdline; tr "\\0" " " < /proc/$$/cmdline';
  const { stdout } = await audioDatabase(['bash', '-c', show], { DATABASE_URL });
  expect(stdout).toMatch(/audio-database bash .*bash /);
  expect(stdout).not.toContain('S3cret');
});

test('libpq takes a key that its group may read', async () => {
  const folder = temporaryFolder({ key: 'KEY' });
  const key = path.join(folder, 'key');
  chmodSync(key, 0o640);
  const DATABASE_URL = `postgresql://audio:a@db.example/audio?sslmode=require&sslcert=/etc/crt&sslkey=${key}`;
  const { stdout } = await audioDatabase(['sh', '-c', 'stat --format=%a "$PGSSLKEY"; cat "$PGSSLKEY"'], {
    DATABASE_URL,
  });
  expect(stdout).toBe('600\nKEY');
});

test.each([
  'postgresql://audio:S3cret@db.example',
  'postgresql://audio:S3cret@db.example:5432/',
  'postgresql://audio:S3cret@localhost?host=/run/postgresql',
  'postgresql://audio:S3/cret@db.example/partners',
  'postgresql://audio:12/cret@db.example/partners',
  'postgresql://audio:12/cret?@db.example/partners',
  'postgresql://audio:S3#cret@db.example/partners',
  'postgresql://audio:S3%cret@db.example/partners',
  'postgresql://db.example/S3%63ret',
  'postgresql://db.example/--S3cret',
  'postgresql://S3cret',
  'audio:S3cret@db.example/partners',
  'postgresql://audio:S3cret@db.example/partners # ours',
  `"postgresql://audio:S3'cret@db.example"`,
])('audio-database refuses %s without repeating any part of it', async (DATABASE_URL) => {
  await expect(audioDatabase(['printenv'], { DATABASE_URL })).rejects.toMatchObject({
    code: 78,
    stdout: '',
    stderr:
      'DATABASE_URL must end in the name of a database, of letters, digits and _.- only, and no comment, ' +
      'with the password percent-encoded: postgresql://user:password@host/database\n',
  });
});

test('a socket without a password is asked by PostgreSQL’s own user, whom it knows', async () => {
  const DATABASE_URL = 'postgresql://audio@localhost/audio?host=/run/postgresql&port=5433';
  const spy = { setpriv: '#!/bin/sh\necho "$*"; printenv PGHOST PGPORT PGUSER PGDATABASE' };
  const { stdout } = await audioDatabase(['pg_dump'], { DATABASE_URL }, spy);
  expect(stdout).toBe(
    '--reuid=postgres --regid=postgres --init-groups -- pg_dump\n/run/postgresql\n5433\npostgres\naudio\n',
  );
});

test('by hand the variables are those of /etc/audio.env, as systemd reads them', async () => {
  const spy = { 'systemd-run': '#!/bin/sh\nprintf "%s\\n" "$@"' };
  const { stdout } = await audioDatabase(['psql', '--command=SELECT $1'], {}, spy);
  const words = stdout.trim().split('\n');
  expect(words).toContain('--property=EnvironmentFile=-/etc/audio.env');
  // systemd takes $ for a variable.
  expect(words.slice(-3)).toEqual([
    expect.stringMatching(/\/audio-database$/),
    'psql',
    '--command=SELECT $$1',
  ]);
});

test('a file without an address is told of', async () => {
  await expect(audioDatabase(['psql'], { AUDIO_VARIABLES: '/etc/audio.env' })).rejects.toMatchObject({
    code: 78,
    stderr: '/etc/audio.env cannot be read, or names no DATABASE_URL\n',
  });
});

test.each([
  [['sh', '-c', 'exit 3'], 3],
  [['sh', '-c', 'kill -TERM $$'], 143],
  [['no-such-program'], 127],
])('%j ends with its own exit code', async (command, code) => {
  const DATABASE_URL = 'postgresql://audio:a@localhost/audio';
  await expect(audioDatabase(command, { DATABASE_URL })).rejects.toMatchObject({ code });
});

describe('a server', () => {
  let used: SystemPostgres;
  let other: SystemPostgres;

  beforeAll(async () => {
    [used, other] = await Promise.all([startSystemPostgres(), startSystemPostgres()]);
    await used.asSuperuser('CREATE ROLE audio LOGIN');
    return async () => {
      await used.close();
      await other.close();
    };
  });

  const asSuperuser = (command: string[], programs = {}) =>
    audioDatabase(['--superuser', ...command], { PATH: used.env.PATH, DATABASE_URL: used.url }, programs);

  test('--superuser is the superuser of the instances’ server, also before their database exists', async () => {
    const create = [
      'createdb',
      '--owner=audio',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--template=template0',
      'audio',
    ];
    await asSuperuser(create);
    onTestFinished(async () => void (await used.asSuperuser('DROP DATABASE audio')));
    const { stdout } = await asSuperuser([
      'psql',
      '--no-align',
      '--tuples-only',
      '--command=SELECT current_user',
    ]);
    expect(stdout).toBe('postgres\n');
    expect(await query(used.url, 'SELECT current_user::text AS name')).toEqual([{ name: 'audio' }]);
  });

  test('--superuser changes nothing on another server of this machine', async () => {
    const refused = asSuperuser(['createdb', 'elsewhere'], { setpriv: setpriv(other.env.PGPORT) });
    await expect(refused).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^The server of DATABASE_URL is not on this machine, /),
    });
    expect(await other.asSuperuser("SELECT FROM pg_database WHERE datname = 'elsewhere'")).toEqual([]);
  });

  test('the certificate is verified by NODE_EXTRA_CA_CERTS', async () => {
    const make =
      'openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=db -addext subjectAltName=IP:127.0.0.1 -keyout server.key -out server.crt';
    // In the folder of its data, as its user.
    await other.asSuperuser(`COPY (SELECT) TO PROGRAM '${make} 2> /dev/null'`);
    await other.asSuperuser('ALTER SYSTEM SET ssl = on');
    await other.asSuperuser('SELECT pg_reload_conf()');
    const [{ certificate } = {}] = await other.asSuperuser(
      "SELECT pg_read_file('server.crt') AS certificate",
    );
    const NODE_EXTRA_CA_CERTS = path.join(temporaryFolder({ 'ca.crt': certificate }), 'ca.crt');
    const DATABASE_URL = other.url
      .replace('audio@', 'postgres@')
      .replace(/audio$/, 'postgres?sslmode=verify-full');
    const command = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    const isEncrypted = (env: Record<string, string>) =>
      audioDatabase(['psql', '--no-align', '--tuples-only', `--command=${command}`], {
        PATH: other.env.PATH,
        DATABASE_URL,
        ...env,
      });
    expect((await isEncrypted({ NODE_EXTRA_CA_CERTS })).stdout).toBe('t\n');
    await expect(isEncrypted({})).rejects.toMatchObject({
      stderr: expect.stringContaining('certificate verify failed'),
    });
  });

  test('--superuser does nothing where the instances’ server does not answer', async () => {
    const DATABASE_URL = 'postgresql://audio@127.0.0.1:1/audio';
    await expect(
      audioDatabase(['--superuser', 'psql'], { PATH: used.env.PATH, DATABASE_URL }),
    ).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('so nothing was done as its superuser'),
    });
  });
});
