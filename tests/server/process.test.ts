import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, rm, symlink, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { openEmbeddedPostgres } from '../../server/demo/postgres/embeddedPostgres.ts';
import { freePort } from '../support/freePort.ts';
import { sendRaw } from '../support/rawHttp.ts';
import {
  BUILT,
  becomesReady,
  launchServer,
  type ServerProcess,
  stopServer,
} from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { CREATE_TOKEN, LOGIN, SESSION } from '../support/testApp.ts';
import { createTestDatabase } from '../support/testDatabase.ts';

const running = new Set<ServerProcess>();
/** Shared by the tests, since making a PostgreSQL takes more than a second. */
let dataDir: string;
let pidFile: string;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'audio-process-'));
  // Root's PostgreSQL runs as another user, who must reach its data here.
  await chmod(dataDir, 0o755);
  pidFile = path.join(dataDir, 'postgres', 'data', 'postmaster.pid');
  await (await openEmbeddedPostgres({ folder: dataDir })).close();
});
afterEach(async () => {
  for (const server of running) await stopServer(server, 'SIGTERM');
});
afterAll(() => rm(dataDir, { recursive: true }));

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

async function appearance(folder: string, name: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename === name) return;
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

const PRODUCTION = {
  NODE_ENV: 'production',
  JWT_SECRET: 'a secret that signs sessions, long enough',
  PROVIDER_TOKEN_URL: 'http://127.0.0.1:9/',
  STREAM_BASE_URL: 'https://stream.example/mp3/icecast.audio?wmsAuthSign=',
};
const DEMO = { username: 'demo@radio.example', password: 'demo-premium' };

test('a signal while PostgreSQL starts leaves it stopped', async () => {
  const started = appearance(path.dirname(pidFile), 'postmaster.pid');
  const server = launch();
  await started;
  expect(await stopServer(server, 'SIGINT')).toBe(0);
  expect(server.output).toBe('');
  expect(existsSync(pidFile)).toBe(false);
});

test('a server with nothing set is the demo', async () => {
  const server = launch();
  const url = await ready(server);
  expect(server.output).toContain('demo@radio.example / demo-premium');
  expect(server.output).toContain(dataDir);
  const signedIn = await graphql(url, { query: LOGIN, variables: DEMO });
  expect(signedIn.data.login).toMatchObject({ company: 'Radio Demo' });
  const headers = { authorization: `Bearer ${Object(signedIn.data.login).jwt}` };
  const made = await graphql(url, { query: CREATE_TOKEN }, headers);
  const { streamUrl } = Object(made.data.createToken);
  const listener = (await fetch(streamUrl)).body?.getReader();
  expect((await listener?.read())?.value?.length).toBeGreaterThan(0);
  const listening = (async () => {
    while (!(await listener?.read())?.done);
  })().catch(() => 'cut off');

  const program = ['dist/server/account.js', 'disable', '--username', DEMO.username];
  const options = { cwd: PROJECT_ROOT, env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir } };
  const { stderr } = await promisify(execFile)(process.execPath, program, options);
  expect(stderr).toContain(`in the embedded database under ${path.join(dataDir, 'postgres')}\n`);
  expect((await graphql(url, { query: SESSION }, headers)).data).toEqual({ session: null });
  expect(existsSync(pidFile)).toBe(true);
  expect(await stopServer(server, 'SIGTERM')).toBe(0);
  await listening;
  expect(existsSync(pidFile)).toBe(false);
});

// Else systemd would take it for a failure, and tell whoever is on call.
test('a server that cuts off a request at its end exits with 0', async () => {
  const hurry = `const wait = setTimeout;
    globalThis.setTimeout = (work, ms, ...rest) => wait(work, ms === 8_000 ? 0 : ms, ...rest);`;
  const server = launch({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurry)}` });
  const url = await ready(server);
  const head =
    'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
  const { socket } = await sendRaw(url, `${head}Expect: 100-continue\r\n\r\n`);
  await once(socket, 'data');
  const ended = failed(server);
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(server.output).toContain('requests that took too long were cut off');
});

test('after kill -9 of a server its PostgreSQL ends too', async () => {
  const killed = launch();
  await ready(killed);
  killed.kill('SIGKILL');
  await failed(killed);
  await expect.poll(() => existsSync(pidFile)).toBe(false);
});

test('a server whose PostgreSQL is killed says so and ends', async () => {
  const server = launch();
  await ready(server);
  const ended = failed(server);
  process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGKILL');
  expect(await ended).toBe(1);
  expect(server.output).toContain(
    'the embedded PostgreSQL has ended or cut its connection: the server stops',
  );
});

test('with an unknown argument it prints its usage and ends with 2', async () => {
  const server = launchServer([...BUILT, '--port=80'], { DATA_DIR: dataDir, PORT: '0' });
  expect(await failed(server)).toBe(2);
  expect(server.output).toMatch(/^error: unknown argument --port=80\nUsage: npm start\n/);
});

test('production without its variables exits with 78', async () => {
  const DATA_DIR = temporaryFolder();
  const server = launch({ DATA_DIR, NODE_ENV: 'production', DATABASE_ULR: 'misspelt' });
  expect(await failed(server)).toBe(78);
  expect(server.output).toContain('Unknown variable DATABASE_ULR is ignored');
  expect(server.output).toContain('DATABASE_URL is required');
  expect(await readdir(DATA_DIR)).toEqual([]);
});

// `account` and `check` are set up as `migrate` is, by the function that lets a signal end them.
test.each([
  ['main', 'npm start'],
  ['migrate', 'npm run migrate'],
])('%s --help prints its usage, and each address of a name is tried for 600 ms', async (entry, usage) => {
  const say =
    'import net from "node:net"; process.on("exit", () => console.log(net.getDefaultAutoSelectFamilyAttemptTimeout()))';
  const program = ['--import', `data:text/javascript,${say}`, `dist/server/${entry}.js`, '--help'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: PROJECT_ROOT });
  expect(stdout).toMatch(new RegExp(`^Usage: ${usage}\n.*\n600\n$`, 's'));
});

/** Has no schema.graphql. */
async function builtElsewhere(files: Record<string, string>): Promise<string> {
  const folder = temporaryFolder({ ...files, 'package.json': '{ "type": "module" }' });
  await cp(path.join(PROJECT_ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
  for (const name of ['node_modules', 'prisma'])
    await symlink(path.join(PROJECT_ROOT, name), path.join(folder, name));
  return folder;
}

test('variables in .env count', async () => {
  const folder = await builtElsewhere({ '.env': 'PORT=canary\n' });
  const server = launchServer(BUILT, {}, { cwd: folder });
  expect(await failed(server)).toBe(78);
  expect(server.output).toContain('PORT must');
});

test('a start without schema.graphql ends in one line that names it', async () => {
  const testDatabase = await createTestDatabase();
  onTestFinished(testDatabase.drop);
  const folder = await builtElsewhere({});
  const env = { ...PRODUCTION, PORT: String(await freePort()), DATABASE_URL: testDatabase.url };
  const server = launchServer(BUILT, env, { cwd: folder });
  expect(await failed(server)).toBe(1);
  expect(server.output).toMatch(/^The server cannot start: ENOENT at \/\S+schema\.graphql\. .+\n$/);
});

const PIPE_BYTES = 64 * 1024;

describe('a server in production whose log nobody reads', () => {
  let url: string;

  beforeAll(async () => {
    const testDatabase = await createTestDatabase();
    const pipe = path.join(dataDir, 'log');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const stdout = openSync(pipe, 'w');
    const full = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(full, Buffer.alloc(PIPE_BYTES));
    closeSync(full);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { ...PRODUCTION, PORT: String(port), DATABASE_URL: testDatabase.url };
    const server = launchServer(BUILT, env, { stdout });
    closeSync(stdout);
    await becomesReady(server, port);
    return async () => {
      // It would wait for its log first.
      await stopServer(server, 'SIGKILL');
      closeSync(reader);
      await testDatabase.drop();
    };
  });

  test('answers all the same', async () => {
    // More lines than wait to be written at once.
    for (let request = 0; request < 40; request += 1) {
      expect((await graphql(url, { query: SESSION })).data).toEqual({ session: null });
    }
  });

  test('refuses text that is not UTF-8, built as from its source', async () => {
    const headers = { authorization: 'Bearer x' };
    const response = await fetch(`${url}/graphql?query={session{id}}%23%F1`, { headers });
    expect(await response.text()).toContain('The query string is not in UTF-8');
  });
});

test('a warning of a package is a line of the log in production', async () => {
  const DATABASE_URL = 'postgresql://nobody@127.0.0.1:9/nothing?sslmode=require';
  const server = launch({ ...PRODUCTION, DATABASE_URL });
  expect(await failed(server)).toBe(1);
  const isFailure = (line: string) => line.startsWith('Nothing listens');
  const lines = server.output.trim().split('\n');
  expect(lines.filter((line) => !isFailure(line)).map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', type: 'Warning', msg: expect.stringMatching(/^SECURITY WARNING: .*sslmode/) },
  ]);
});
