import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, watch } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { MIGRATION_LOCK_KEY } from '../../server/database/migrate.ts';
import { openEmbeddedPostgres } from '../../server/demo/embeddedPostgres.ts';
import { createSessions } from '../../server/signIn/sessions.ts';
import { signingKeys } from '../../server/signIn/signedJwt.ts';
import { buildUnlessFresh } from '../support/build.ts';
import { freePort } from '../support/freePort.ts';
import { openPatientDatabase } from '../support/patientDatabase.ts';
import {
  BUILT,
  becomesReady,
  launchServer,
  type ServerProcess,
  stopServer,
} from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN, SESSION } from '../support/testApp.ts';
import { createTestDatabase, emptyTestDatabase } from '../support/testDatabase.ts';

type Credentials = { username: string; password: string };

const running = new Set<ServerProcess>();
/** Shared by the tests, since making a PostgreSQL takes more than a second. */
let dataDir: string;

beforeAll(buildUnlessFresh);
beforeAll(async () => {
  dataDir = await makeDataFolder();
});
afterEach(async () => {
  for (const server of running) await stopServer(server, 'SIGTERM');
});
afterAll(() => rm(dataDir, { recursive: true }));

async function makeDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-process-'));
  // Root's PostgreSQL runs as another user, who must reach its data here.
  await chmod(folder, 0o755);
  return folder;
}

async function emptyDataFolder(): Promise<string> {
  const folder = await makeDataFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The server with nothing set but what a test sets. */
function launch(env: Record<string, string> = {}): ServerProcess {
  const server = launchServer(BUILT, { DATA_DIR: dataDir, PORT: '0', ...env });
  running.add(server);
  server.on('exit', () => running.delete(server));
  return server;
}

async function ready(server: ServerProcess): Promise<string> {
  await expect.poll(() => server.exitCode ?? server.output).toMatch(/is ready/);
  return /http:\/\/127\.0\.0\.1:\d+/.exec(server.output)?.[0] ?? '';
}

function pidFile(folder = dataDir): string {
  return path.join(folder, 'postgres', 'data', 'postmaster.pid');
}

/** Resolves when something of that name comes to be in the folder. */
async function appearance(folder: string, isIt: (name: string) => boolean): Promise<void> {
  for await (const { filename } of watch(folder)) if (isIt(filename ?? '')) return;
}

async function failed(server: ServerProcess): Promise<number | null> {
  return (await once(server, 'close'))[0];
}

async function graphql(url: string, body: object, headers = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    // A connection that stays open would delay the end by SIGTERM.
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { data: Record<string, unknown> };
}

async function signIn(url: string, { username, password }: Credentials, company: string) {
  const { data } = await graphql(url, { query: LOGIN, variables: { username, password } });
  expect(data.login).toMatchObject({ company });
  return { jwt: '', ...(data.login as object) };
}

const UNREACHABLE = 'postgresql://canary:canary@127.0.0.1:9/canary';
const DEMO = { username: 'demo@radio.example', password: 'demo-premium' };

describe('the server as a process:', () => {
  test('deletes expired rows', async () => {
    const testDatabase = await createTestDatabase();
    const { prisma, close } = openPatientDatabase(testDatabase.url);
    try {
      const expire = new Date(Date.now() - 1_000);
      await prisma.attemptCount.create({ data: { key: 'ran out', points: 5, expire } });
      const server = launch({ DATABASE_URL: testDatabase.url });
      await ready(server);
      await expect.poll(() => prisma.attemptCount.count()).toBe(0);
      expect(await stopServer(server, 'SIGTERM')).toBe(0);
    } finally {
      await close();
      await testDatabase.drop();
    }
  });

  test('a signal during the start of PostgreSQL leaves nothing behind', async () => {
    const empty = await emptyDataFolder();
    const stopAt = async (signal: NodeJS.Signals, folder: string, isMoment: (name: string) => boolean) => {
      const moment = appearance(folder, isMoment);
      const server = launch({ DATA_DIR: empty });
      await moment;
      expect(await stopServer(server, signal)).toBe(0);
      expect(server.output).toBe('');
      expect(existsSync(pidFile(empty))).toBe(false);
    };
    await stopAt('SIGTERM', empty, (name) => name.startsWith('postgres.new-'));
    // Unfinished if making it takes longer than a stop may.
    expect(await readdir(empty)).toEqual([expect.stringMatching(/^postgres(\.new-.*)?$/)]);
    await (await openEmbeddedPostgres({ folder: empty })).close();
    expect(await readdir(empty)).toEqual(['postgres']);
    await stopAt('SIGINT', path.dirname(pidFile(empty)), (name) => name === 'postmaster.pid');
  });

  test('a signal while another instance applies migrations ends it', async () => {
    const empty = await emptyTestDatabase();
    const other = new pg.Client({ connectionString: empty.url });
    await other.connect();
    try {
      await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
      const server = launch({ DATABASE_URL: empty.url });
      const waiting = () =>
        other.query(
          `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
           WHERE NOT granted AND locktype = 'advisory' AND datname = current_database()`,
        );
      await expect.poll(async () => (await waiting()).rowCount).toBe(1);
      expect(await stopServer(server, 'SIGTERM')).toBe(0);
      expect(server.output).toBe('');
    } finally {
      await other.end();
      await empty.drop();
    }
  });

  test('with nothing set is the demo, which SIGTERM ends with its stream and PostgreSQL', async () => {
    const server = launch();
    const url = await ready(server);
    expect(server.output).toContain('demo@radio.example / demo-premium');
    expect(server.output).toContain(dataDir);
    const { jwt } = await signIn(url, DEMO, 'Radio Demo');
    const made = await graphql(url, { query: CREATE_TOKEN }, { authorization: `Bearer ${jwt}` });
    const { streamUrl } = { streamUrl: '', ...(made.data.createToken as object) };
    const listener = (await fetch(streamUrl)).body?.getReader();
    expect((await listener?.read())?.value?.length).toBeGreaterThan(0);
    const listening = (async () => {
      while (!(await listener?.read())?.done);
    })().catch(() => 'cut off');

    const account = async (...args: string[]) => {
      const options = { cwd: PROJECT_ROOT, env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir } };
      const program = ['dist/server/account.js', ...args];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, program, options);
      expect(stderr).toContain(`in the embedded database under ${path.join(dataDir, 'postgres')}\n`);
      return stdout;
    };
    const name = ['--username', ACCOUNT.username];
    const password = (await account('add', ...name, '--company', 'Radio Uno', '--generate')).trim();
    const added = await signIn(url, { username: ACCOUNT.username, password }, 'Radio Uno');
    await account('disable', ...name);
    const answer = await graphql(url, { query: SESSION }, { authorization: `Bearer ${added.jwt}` });
    expect(answer.data).toEqual({ session: null });
    expect(existsSync(pidFile())).toBe(true);
    expect(await stopServer(server, 'SIGTERM')).toBe(0);
    await listening;
    expect(existsSync(pidFile())).toBe(false);
  });

  test('a new JWT_SECRET signs nobody out beside the previous one', async () => {
    const testDatabase = await createTestDatabase();
    onTestFinished(testDatabase.drop);
    const { prisma, close } = openPatientDatabase(testDatabase.url);
    const { password: _, ...account } = ACCOUNT;
    const added = await prisma.account.create({ data: { ...account, passwordHash: '' } });
    const oldSecret = 'the old secret, of 32 bytes or more';
    const { jwt } = await createSessions(prisma, signingKeys(oldSecret), () => new Date()).start(added);
    await close();
    const server = launch({
      DATABASE_URL: testDatabase.url,
      JWT_SECRET: 'the new secret, of 32 bytes or more',
      JWT_SECRET_PREVIOUS: oldSecret,
    });
    const answer = await graphql(await ready(server), { query: SESSION }, { authorization: `Bearer ${jwt}` });
    expect(answer.data.session).toMatchObject({ company: 'Radio Uno' });
    await stopServer(server, 'SIGTERM');
  });

  test('production starts no demo and names every missing variable', async () => {
    const DATA_DIR = await emptyDataFolder();
    const DATABASE_ULR = 'postgresql://canary@db.example/audio';
    const server = launch({ DATA_DIR, NODE_ENV: 'production', DATABASE_ULR });
    expect(await failed(server)).toBe(78);
    expect(server.output).toContain('Unknown variable DATABASE_ULR is ignored');
    expect(server.output).not.toContain('canary');
    for (const name of ['DATABASE_URL', 'JWT_SECRET', 'PROVIDER_TOKEN_URL', 'STREAM_BASE_URL']) {
      expect(server.output).toContain(`${name} is required`);
    }
    expect(await readdir(DATA_DIR)).toEqual([]);
  });

  test('a port in use ends the start, and PostgreSQL with it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = { port: 0, ...(holder.address() as object) };
    const server = launch({ PORT: String(port) });
    expect(await failed(server)).toBe(1);
    holder.close();
    expect(server.output).toContain(`Port ${port} is in use`);
    expect(server.output).not.toMatch(/^\s+at /m);
    expect(existsSync(pidFile())).toBe(false);
  });

  test.each<[name: string, env: Record<string, string>, said: string]>([
    ['a host that is not of this machine', { HOST: '999.1.1.1' }, 'HOST is 999.1.1.1'],
    ['a file for a data folder', { DATA_DIR: '/etc/passwd' }, 'at /etc/passwd. Check DATA_DIR'],
    [
      'a database out of reach',
      { DATABASE_URL: UNREACHABLE },
      'Nothing listens at the host and port in DATABASE_URL',
    ],
  ])('%s ends the start with a plain message', async (_name, env, said) => {
    const server = launch(env);
    expect(await failed(server)).toBe(1);
    expect(server.output).toContain(said);
    expect(server.output).not.toMatch(/canary|^\s+at /m);
  });

  test('a process whose log nobody reads serves, and is killed in time after SIGTERM', async () => {
    const testDatabase = await createTestDatabase();
    onTestFinished(testDatabase.drop);
    const pipe = path.join(temporaryFolder(), 'log');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    const port = await freePort();
    const env = {
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: testDatabase.url,
      JWT_SECRET: 'a secret that signs sessions, long enough',
      PROVIDER_TOKEN_URL: 'http://127.0.0.1:9/',
      STREAM_BASE_URL: 'https://stream.example/mp3/icecast.audio?wmsAuthSign=',
    };
    const stdout = openSync(pipe, 'w');
    const server = launchServer(BUILT, env, { stdout });
    closeSync(stdout);
    await becomesReady(server, port);
    // More lines than fit into a pipe of 64 KiB.
    for (let request = 0; request < 400; request += 1) {
      expect((await graphql(`http://127.0.0.1:${port}`, { query: SESSION })).data).toEqual({ session: null });
    }
    await stopServer(server, 'SIGTERM');
    expect(server.signalCode).toBe('SIGKILL');
  });

  test('a warning of a package is a line of the log in production', async () => {
    const server = launch({
      NODE_ENV: 'production',
      DATABASE_URL: `${UNREACHABLE}?sslmode=require`,
      JWT_SECRET: 'a secret that signs sessions, long enough',
      PROVIDER_TOKEN_URL: 'https://provider.example/secure/audio',
      STREAM_BASE_URL: 'https://stream.example/mp3/icecast.audio?wmsAuthSign=',
    });
    expect(await failed(server)).toBe(1);
    const isFailure = (line: string) => line.startsWith('Nothing listens');
    const lines = server.output.trim().split('\n');
    expect(lines.filter((line) => !isFailure(line)).map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', type: 'Warning', msg: expect.stringMatching(/^SECURITY WARNING: .*sslmode/) },
    ]);
    expect(server.output).not.toContain('canary');
  });
});
