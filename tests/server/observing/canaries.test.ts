import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { misspeltWarnings } from '../../../server/config/misspelt.ts';
import type { KeyKind } from '../../../server/generated/prisma/client.ts';
import { keyHashOf, newKey } from '../../../server/signIn/accountKeys.ts';
import { hashPassword } from '../../../server/signIn/password.ts';
import { startFailure } from '../../../server/startFailure.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { canary, leaksIn, plainCanary } from '../../support/canaries.ts';
import { freePort } from '../../support/freePort.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { BUILT, launchServer, type ServerProcess } from '../../support/serverProcess.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { CREATE_TOKEN, LOGIN, LOGOUT, SESSION, STREAM } from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const HOUR_MS = 3_600_000;

/** Values that appear in no log, and in no answer but those to their owner. */
const SECRETS: Record<string, string> = {
  JWT_SECRET: canary().repeat(2),
  JWT_SECRET_PREVIOUS: canary().repeat(2),
  'database password': plainCanary(),
  'database user': plainCanary(),
  'database name': plainCanary(),
  'database host': `${plainCanary()}.invalid`,
  'provider key': plainCanary(),
  'provider user': plainCanary(),
  'provider password': plainCanary(),
  'provider page': plainCanary(),
  'stream token': plainCanary(),
  username: `${plainCanary()}@x.es`.slice(-32),
  password: canary(),
  'wrong password': canary(),
  pasted: canary(),
  'pasted word': plainCanary(),
  "tool's key": newKey('TOOL'),
  "player's key": newKey('PLAYER'),
  'key of a player without a token': newKey('PLAYER'),
};
const secret = (name: string) => {
  const value = SECRETS[name];
  if (value === undefined) throw new Error(`No secret is called ${name}`);
  return value;
};

const closers: Array<() => unknown> = [];
/** Every response of the server, with the secrets that it may hold. */
const answers: Array<{ to: string; text: string; mayHold: string[] }> = [];
let testDatabase: TestDatabase;
let dataDir: string;
let databaseProxy: TcpProxy;
let databaseUrl: URL;
let providerAnswer: RequestListener;
let production: Record<string, string>;

beforeAll(buildUnlessFresh);
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'audio-canaries-'));
  testDatabase = await createTestDatabase();
  const { prisma, close } = openPatientDatabase(testDatabase.url);
  const passwordHash = await hashPassword(secret('password'));
  const keys = {
    create: [
      keyRow("tool's key", 'TOOL'),
      keyRow("player's key", 'PLAYER'),
      keyRow('key of a player without a token', 'PLAYER'),
    ],
  };
  const account = { username: secret('username'), passwordHash, company: 'Radio Uno', keys };
  await prisma.account.create({ data: account });
  await close();
  const original = new URL(testDatabase.url);
  await asAdministrator([
    `CREATE ROLE ${secret('database user')} SUPERUSER LOGIN PASSWORD '${secret('database password')}'`,
    `ALTER DATABASE ${original.pathname.slice(1)} RENAME TO ${secret('database name')}`,
  ]);
  databaseProxy = await startTcpProxy(Number(original.port));
  closers.push(() => databaseProxy.close());
  databaseUrl = new URL(
    `postgresql://${secret('database user')}:${secret('database password')}@127.0.0.1:${databaseProxy.port}/${secret('database name')}`,
  );

  const provider = createServer((request, response) => providerAnswer(request, response)).listen(
    0,
    '127.0.0.1',
  );
  await once(provider, 'listening');
  closers.push(() => provider.close().closeAllConnections());
  const credentials = `${secret('provider user')}:${secret('provider password')}`;
  production = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl.href,
    JWT_SECRET: secret('JWT_SECRET'),
    JWT_SECRET_PREVIOUS: secret('JWT_SECRET_PREVIOUS'),
    PROVIDER_TOKEN_URL: `http://${credentials}@127.0.0.1:${portOf(provider)}/audio?key=${secret('provider key')}`,
    STREAM_BASE_URL: 'https://stream.example/audio?wmsAuthSign=',
    METRICS_PORT: String(await freePort()),
  };
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await asAdministrator([
    `DROP DATABASE IF EXISTS ${secret('database name')} WITH (FORCE)`,
    `DROP ROLE IF EXISTS ${secret('database user')}`,
  ]);
  await rm(dataDir, { recursive: true });
});

function keyRow(name: string, kind: KeyKind) {
  return { name, kind, keyHash: keyHashOf(secret(name)), expiresAt: new Date(Date.now() + HOUR_MS) };
}

async function asAdministrator(statements: string[]): Promise<void> {
  const url = new URL(testDatabase.url);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not listening');
  return address.port;
}

function launch(env: Record<string, string>, program = BUILT): ServerProcess {
  const server = launchServer(program, { DATA_DIR: dataDir, PORT: '0', ...env });
  closers.push(() => server.kill('SIGKILL'));
  return server;
}

async function addressOf(server: ServerProcess): Promise<string> {
  const address = /http:\/\/127\.0\.0\.1:\d+/;
  await vi.waitFor(() => expect(server.exitCode ?? server.output).toMatch(address), { timeout: 240_000 });
  return address.exec(server.output)?.[0] ?? '';
}

async function ended(server: ServerProcess, signal?: NodeJS.Signals): Promise<number | null> {
  const closed = once(server, 'close');
  if (signal !== undefined) server.kill(signal);
  return (await closed)[0];
}

describe('nothing secret is in the log or in an answer that it does not belong to', () => {
  let server: ServerProcess;
  let url: string;
  let session: Record<string, string>;

  beforeAll(async () => {
    server = launch(production);
    url = await addressOf(server);
    await signInAndCreateToken();
  });

  async function ask(
    at: string,
    { mayHold = [], ...init }: RequestInit & { mayHold?: string[] } = {},
  ): Promise<{ text: string; headers: Headers }> {
    const response = await fetch(url + at, { redirect: 'manual', ...init });
    const text = await response.text();
    const head = JSON.stringify([response.statusText, ...response.headers]);
    answers.push({ to: `${at} ${String(init.body).slice(0, 80)}`, text: `${head}\n${text}`, mayHold });
    return { text, headers: response.headers };
  }

  function post(body: unknown, headers: Record<string, string> = {}, mayHold: string[] = []) {
    return ask('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      mayHold,
    });
  }

  const login = (username: unknown, password: unknown, mayHold: string[] = []) =>
    post({ query: LOGIN, variables: { username, password } }, {}, mayHold);

  async function signInAndCreateToken() {
    const { text, headers } = await login(secret('username'), secret('password'), ['JWT', 'device cookie']);
    SECRETS.JWT = JSON.parse(text).data.login.jwt;
    const [cookie = '', device = ''] = headers.getSetCookie().map((each) => each.split(';')[0]);
    SECRETS['device cookie'] = device.split('=')[1] ?? '';
    expect(cookie).toContain(SECRETS.JWT);
    session = { cookie: `${cookie}; ${device}` };
    providerAnswer = (_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(
          `<a href="https://x.example/?wmsAuthSign=${secret('stream token')}">${secret('provider page')}</a>`,
        );
    const created = await post({ query: CREATE_TOKEN }, session, ['stream token']);
    expect(created.text).toContain(secret('stream token'));
  }

  test('when all goes well', async () => {
    await post({ query: SESSION }, session);
    await post({ query: CREATE_TOKEN }, { authorization: `Bearer ${secret("tool's key")}` }, [
      'stream token',
    ]);
    const { headers } = await ask(`/live/${secret("player's key")}`, { mayHold: ['stream token'] });
    expect(headers.get('location')).toContain(secret('stream token'));
    await post({ query: STREAM }, { authorization: `Bearer ${SECRETS.JWT}` });
    for (const at of ['/', '/dashboard', '/healthz', '/readyz']) await ask(at);
  });

  test('when somebody mistypes, or types it into the wrong field', async () => {
    const [right, wrong] = [secret('password'), secret('wrong password')];
    await login(secret('username'), wrong);
    await login(right, wrong);
    await login(wrong, secret('username'));
    for (const long of [right.repeat(3), `${wrong}\u0000`]) {
      await login(long, right);
      await login(secret('username'), long);
    }
    for (const key of [secret("tool's key"), secret("player's key")]) {
      await login(key, right);
      await login(secret('username'), key);
      await post({ query: `{ session(key: ${key}) { id } }` });
      await post({ query: `{ tokens(after: "${key}", filter: {from: "${key}"}) { nodes { id } } }` });
    }
    for (const value of [[right], { value: right }, right.length, [[wrong], { wrong }]]) {
      await login(value, right);
      await login(secret('username'), value);
    }
    await post({ query: LOGIN, variables: right });
    await post({ query: LOGIN, variables: { [secret('pasted word')]: right } });
  });

  test('when a program writes it into the operation, or breaks the operation with it', async () => {
    const [right, word] = [JSON.stringify(secret('password')), secret('pasted word')];
    for (const query of [
      `mutation { login(username: ${right}, password: [${right}]) { id } }`,
      `mutation { login(username: ${right}, password: {a: ${right}}) { id } }`,
      `mutation { login(username: ${word}, password: ${word}) { id } }`,
      `mutation { login(username: ${right} password ${right}) { id } }`,
      `mutation { login(username: ${right}, password: ${right} { id } }`,
      `mutation { login(username: "a", password: "b" ${word}) { id } }`,
      `mutation { login(username: """${word}""" """${word}""") { id } }`,
      `mutation { login(username: "${word}\n", password: "x") { id } }`,
      `mutation { a: login(username: ${right}, password: ${right}) { id } b: logout }`,
      `query ($p: String = ${right}) { session { id } }`,
      `subscription { login(password: ${right}) }`,
      `# ${word}`,
      right,
    ]) {
      await post({ query });
      await ask(`/graphql?query=${encodeURIComponent(query)}`, {
        headers: { 'apollo-require-preflight': '1' },
      });
    }
    await post({ query: SESSION, operationName: secret('pasted') });
    await post({ query: SESSION, extensions: { secret: secret('pasted') } });
    await post([{ query: LOGIN, variables: { username: word, password: word } }]);
  });

  test('when a program sends it in what is no request', async () => {
    const word = secret('pasted word');
    const { hostname, port } = new URL(url);
    for (const body of [`{"password":"${word}"`, `{"query":${word}}`, word, `"${word}"`, word.repeat(800)]) {
      await post(body);
      await post(body, { 'content-type': `text/plain; ${word}=1` });
      await post(body, { 'content-type': `application/json; charset=${word}` });
    }
    for (const bytes of [
      `${word}\r\n\r\n`,
      `GET /${word} HTTP/1.1\r\nHost: x\r\nX-${word}: ${word.repeat(1_000)}\r\n\r\n`,
      `POST /graphql HTTP/1.1\r\nHost: ${word}\r\nContent-Length: ${word}\r\n\r\n`,
      `POST /graphql?${word} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Type: application/json\r\n\r\n{"a`,
    ]) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      let text = '';
      socket.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      socket.write(bytes);
      if (bytes.endsWith('{"a')) socket.end();
      await once(socket, 'close');
      answers.push({ to: bytes.slice(0, 30), text, mayHold: [] });
    }
  });

  test('when it is pasted into an address or a header', async () => {
    const keys = [secret("tool's key"), secret("player's key")];
    for (const pasted of [
      secret('pasted'),
      secret('pasted word'),
      SECRETS.JWT ?? '',
      secret('password'),
      ...keys,
    ]) {
      const encoded = encodeURIComponent(pasted);
      for (const at of [
        `/${encoded}`,
        `/graphql/${encoded}`,
        `/graphql?token=${encoded}`,
        `/%zz${encoded}`,
        `//live/${encoded}`,
        `/LIVE/${encoded}`,
        `/live/${encoded}/more?${encoded}`,
        `/live/${encoded}%00`,
        `/live/%zz${encoded}`,
      ]) {
        for (const method of ['GET', 'HEAD', 'POST', 'PROPFIND']) await ask(at, { method });
      }
      await ask(`/live/${encoded}`, { method: 'DELETE' });
      for (const header of ['user-agent', 'x-request-id', 'x-forwarded-for', 'origin', 'referer', 'accept']) {
        await post({ query: SESSION }, { [header]: encoded });
        await ask('/nobody', { headers: { [header]: encoded } });
      }
      // A JWT or a tool's key signs in, wherever it was copied from.
      const mayHold = [SECRETS.JWT, secret("tool's key")].includes(pasted) ? ['stream token'] : [];
      for (const authorization of [`Bearer ${encoded}`, `Basic ${encoded}`, encoded]) {
        await post({ query: CREATE_TOKEN }, { authorization }, mayHold);
      }
      const cookie = `session=${encoded}; device=${encoded}`;
      await post({ query: CREATE_TOKEN }, { cookie }, mayHold);
    }
  });

  test('when the provider fails, in whatever way', async () => {
    const page = `<a href="https://x.example/?wmsAuthSign=">${secret('provider page')}</a>`;
    const location = `https://x.example/${secret('provider page')}`;
    const failures: RequestListener[] = [
      (_request, response) => response.setHeader('content-type', 'text/html').end(page),
      (_request, response) => response.setHeader('content-type', secret('provider page')).end(page),
      (_request, response) => response.setHeader('content-encoding', secret('provider page')).end(page),
      (_request, response) => response.writeHead(302, { location }).end(page),
      (_request, response) => response.writeHead(403, secret('provider page')).end(page),
      (_request, response) => response.end(page.repeat(2_000)),
      ({ socket }) => socket.end(`${secret('provider page')}\r\n\r\n`),
      (_request, response) => response.writeHead(500, secret('provider page')).end(page),
      ({ socket }) => socket.resetAndDestroy(),
    ];
    for (const failure of failures) {
      providerAnswer = failure;
      const { text } = await post({ query: CREATE_TOKEN }, session);
      expect(text).toMatch(/PROVIDER_/);
    }
    for (let call = 0; call < 6; call += 1) await post({ query: CREATE_TOKEN }, session);
    const { text } = await ask(`/live/${secret('key of a player without a token')}`);
    expect(text).toContain('The media provider');
  });

  test('when the database goes away', async () => {
    databaseProxy.refuse();
    databaseProxy.cut();
    await login(secret('username'), secret('password'));
    for (const query of [SESSION, CREATE_TOKEN, LOGOUT]) {
      expect((await post({ query }, session)).text).toContain('DATABASE_UNAVAILABLE');
    }
    const { text } = await ask(`/live/${secret("player's key")}`);
    expect(text).toContain('The database cannot be reached');
    await post({ query: CREATE_TOKEN }, { authorization: `Bearer ${secret("tool's key")}` });
    await ask('/readyz');
    const metrics = await (await fetch(`http://127.0.0.1:${production.METRICS_PORT}/metrics`)).text();
    expect(metrics).toContain(`{key="player's key",outcome="success"}`);
    answers.push({ to: 'GET /metrics', text: metrics, mayHold: [] });
    expect(await ended(server, 'SIGINT')).toBe(0);
  });

  test('as was looked for in all of it', () => {
    expect(answers.length).toBeGreaterThan(150);
    expect(server.output).toContain('"PROVIDER_BAD_ANSWER"');
    expect(server.output).toContain('"DATABASE_UNAVAILABLE"');
    expect(leaksIn(server.output, SECRETS)).toEqual([]);
    const leaks = answers.flatMap(({ to, text, mayHold }) =>
      leaksIn(text, SECRETS)
        .filter((name) => !mayHold.includes(name))
        .map((name) => `${name} in the answer to ${to}`),
    );
    expect(leaks).toEqual([]);
  });
});

describe('a start that is refused shows nothing secret', () => {
  const changed = (parts: Partial<URL>) => Object.assign(new URL(testDatabase.url), parts).href;
  const shownSecrets = { start: secret('JWT_SECRET').slice(0, 20) };

  test.each<[string, () => string]>([
    ['an unreachable host', () => changed({ hostname: secret('database host') })],
    ['a wrong password', () => changed({ password: secret('database password') })],
    ['an unknown database', () => changed({ pathname: secret('pasted word') })],
    ['another protocol', () => production.PROVIDER_TOKEN_URL?.replace('http', 'postgres') ?? ''],
  ])('because of %s', async (_name, wrongUrl) => {
    const { METRICS_PORT: _, ...env } = production;
    const { failure, logLines, close } = await startServerHere(wrongUrl(), {
      env: { ...env, DATABASE_URL: wrongUrl() },
    });
    await close();
    expect(failure).not.toBeNull();
    expect(failure).not.toMatch(/^\s+at /m);
    expect(leaksIn(`${failure}${logLines.join('')}`, SECRETS)).toEqual([]);
  });

  test('because of wrong values', () => {
    const env = {
      ...production,
      PORT: secret('pasted word'),
      DATABASE_URL: secret('pasted word'),
      DATABASE_DIRECT_URL: secret('pasted word'),
      JWT_SECRET: shownSecrets.start,
      JWT_SECRET_PREVIOUS: shownSecrets.start,
      PROVIDER_TOKEN_URL: `ftp://${secret('provider key')}`,
      STREAM_BASE_URL: secret('pasted word'),
      FIREBASE_CONFIG: secret('pasted'),
      TRUST_PROXY: secret('pasted word'),
      APOLLO_SANDBOX: secret('pasted word'),
      TOKEN_LEDGER_DAYS: secret('pasted word'),
      HOTS: secret('pasted word'),
    };
    let message = misspeltWarnings(env).join('');
    try {
      readConfig(env);
    } catch (error) {
      message += startFailure(error);
    }
    expect(message).toContain('FIREBASE_CONFIG must be');
    expect(leaksIn(message, { ...SECRETS, ...shownSecrets })).toEqual([]);
  });

  test('of the account program, but the host that it names', async () => {
    const parts = { hostname: secret('database host'), password: secret('database password') };
    const program = launch({ DATABASE_URL: changed(parts) }, ['dist/server/account.js', 'list']);
    expect(await ended(program)).not.toBe(0);
    expect(leaksIn(program.output, SECRETS)).toEqual(['database host']);
  });
});
