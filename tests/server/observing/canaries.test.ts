import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KNOWN_VARIABLES, readConfig } from '../../../server/config/config.ts';
import { misspeltWarnings } from '../../../server/config/dotEnv.ts';
import { explainStartError } from '../../../server/explainError.ts';
import { canary, leaksIn, plainCanary } from '../../support/canaries.ts';
import { freePort } from '../../support/freePort.ts';
import { query } from '../../support/query.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import {
  BUILT,
  becomesReady,
  launchServer,
  type ServerProcess,
  stopServer,
} from '../../support/serverProcess.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { CREATE_TOKEN, LOGIN, LOGOUT, provideTestApp, SESSION } from '../../support/testApp.ts';
import { runAccountHere } from '../cli/runAccount.ts';

const UNKNOWN_YET = 'not made yet';
/** Values that appear in no log and no metric, and in no answer but those to their owner. */
const SECRETS = {
  JWT_SECRET: canary().repeat(2),
  JWT_SECRET_PREVIOUS: canary().repeat(2),
  'database password': plainCanary(),
  'database user': plainCanary(),
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
  "tool's key": UNKNOWN_YET,
  "player's key": UNKNOWN_YET,
  'key of a player without a token': UNKNOWN_YET,
  JWT: UNKNOWN_YET,
  'device cookie': UNKNOWN_YET,
};
type Secret = keyof typeof SECRETS;
const { password: right, 'wrong password': wrong, 'pasted word': word } = SECRETS;

const app = provideTestApp();
let databaseProxy: TcpProxy;
let production: Record<string, string>;
let server: ServerProcess;
let url: string;
let session: { cookie: string };
let providerAnswer: RequestListener = (_request, response) =>
  response
    .setHeader('content-type', 'text/html')
    .end(
      `<a href="https://x.example/?wmsAuthSign=${SECRETS['stream token']}">${SECRETS['provider page']}</a>`,
    );
const provider = createServer((request, response) => providerAnswer(request, response));
const leaks: string[] = [];

beforeAll(async () => {
  await app.addAccount({ username: SECRETS.username, password: right, company: 'Radio Uno' });
  for (const name of ["tool's key", "player's key", 'key of a player without a token'] as const) {
    SECRETS[name] = await app.addKey({ name, kind: name === "tool's key" ? 'TOOL' : 'PLAYER' });
  }
  const { 'database user': user, 'database password': password } = SECRETS;
  await query(app.databaseUrl, `CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD '${password}'`);
  databaseProxy = await startTcpProxy(Number(new URL(app.databaseUrl).port));
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const { port } = provider.address() as AddressInfo;
  const credentials = `${SECRETS['provider user']}:${SECRETS['provider password']}`;
  production = {
    NODE_ENV: 'production',
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    DATABASE_URL: databaseAt({ username: user, password, port: String(databaseProxy.port) }),
    JWT_SECRET: SECRETS.JWT_SECRET,
    JWT_SECRET_PREVIOUS: SECRETS.JWT_SECRET_PREVIOUS,
    PROVIDER_TOKEN_URL: `http://${credentials}@127.0.0.1:${port}/audio?key=${SECRETS['provider key']}`,
    STREAM_BASE_URL: 'https://stream.example/audio?wmsAuthSign=',
  };
  server = launchServer(BUILT, production);
  url = `http://127.0.0.1:${production.PORT}`;
  await becomesReady(server, Number(production.PORT));
  await signIn();
});
beforeEach(() => {
  leaks.length = 0;
});
afterAll(async () => {
  await stopServer(server, 'SIGKILL');
  databaseProxy.close();
  provider.close().closeAllConnections();
  await query(app.databaseUrl, `DROP ROLE ${SECRETS['database user']}`);
});

const databaseAt = (changes: Partial<URL>) => Object.assign(new URL(app.databaseUrl), changes).href;

async function signIn(): Promise<void> {
  const { text, headers } = await login(SECRETS.username, right, ['JWT', 'device cookie']);
  const [cookie = '', device = ''] = headers.getSetCookie().map((each) => each.split(';')[0]);
  SECRETS.JWT = JSON.parse(text).data.login.jwt;
  SECRETS['device cookie'] = device.split('=')[1] ?? '';
  session = { cookie: `${cookie}; ${device}` };
}

function recordLeaks(to: string, text: string, mayHold: Secret[] = []): void {
  const found = leaksIn(text, SECRETS).filter((name) => !mayHold.includes(name as Secret));
  leaks.push(...found.map((name) => `${name} in the answer to ${to}`));
}

async function ask(at: string, init: RequestInit = {}, mayHold: Secret[] = []) {
  const response = await fetch(url + at, { redirect: 'manual', ...init });
  const text = await response.text();
  const head = JSON.stringify([response.statusText, ...response.headers]);
  recordLeaks(`${init.method ?? 'GET'} ${at} ${init.body ?? ''}`, `${head}\n${text}`, mayHold);
  return { text, headers: response.headers };
}

function post(body: unknown, headers: Record<string, string> = {}, mayHold: Secret[] = []) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = { 'content-type': 'application/json' };
  return ask('/graphql', { method: 'POST', headers: { ...type, ...headers }, body: text }, mayHold);
}

function login(username: unknown, password: unknown, mayHold: Secret[] = []) {
  return post({ query: LOGIN, variables: { username, password } }, {}, mayHold);
}

async function send(bytes: string): Promise<void> {
  const { answer } = await sendRaw(url, bytes);
  recordLeaks(bytes.slice(0, 30), await answer);
}

const PASTED_WITH_STREAM: readonly string[] = ['JWT', "tool's key"];
const PASTED = ['pasted', 'pasted word', 'JWT', 'password', "tool's key", "player's key"] as const;
const HEADERS = ['user-agent', 'x-request-id', 'x-forwarded-for', 'origin', 'referer', 'accept'];
const inPath = (text: string) => [
  `/${text}`,
  `/graphql/${text}`,
  `/graphql?token=${text}`,
  `/%zz${text}`,
  `//live/${text}`,
  `/LIVE/${text}`,
  `/live/${text}/more?${text}`,
  `/live/%zz${text}`,
];

const HOSTILE_OPERATIONS = [
  `mutation { login(username: "${word}", password: ["${word}"]) { id } }`,
  `mutation { login(username: ${word}, password: ${word}) { id } }`,
  `mutation { login(username: "${word}" password "${word}") { id } }`,
  `mutation { login(username: "a", password: "b" ${word}) { id } }`,
  `mutation { login(username: """${word}""" """${word}""") { id } }`,
  `mutation { login(username: "${word}\n", password: "x") { id } }`,
  `mutation { a: login(username: "${word}", password: "${word}") { id } b: logout }`,
  `query ($p: String = "${word}") { session { id } }`,
  `{ tokens(after: "${word}", filter: {from: "${word}"}) { nodes { id } } }`,
  `# ${word}`,
];

const providerPage = `<a href="https://x.example/?wmsAuthSign=">${SECRETS['provider page']}</a>`;
const PROVIDER_FAILURES: RequestListener[] = [
  (_request, response) => response.setHeader('content-type', 'text/html').end(providerPage),
  (_request, response) => response.setHeader('content-type', SECRETS['provider page']).end(providerPage),
  (_request, response) => response.setHeader('content-encoding', SECRETS['provider page']).end(providerPage),
  (_request, response) => response.writeHead(302, { location: `/${SECRETS['provider page']}` }).end(),
  (_request, response) => response.writeHead(403, SECRETS['provider page']).end(providerPage),
  ({ socket }) => socket.end(`${SECRETS['provider page']}\r\n\r\n`),
  ({ socket }) => socket.resetAndDestroy(),
];

/** In this order: the last leave the server without provider and database. */
const SITUATIONS: Record<string, () => Promise<unknown>> = {
  'all goes well': async () => {
    await post({ query: SESSION }, session);
    await post({ query: CREATE_TOKEN }, session, ['stream token']);
    const authorization = `Bearer ${SECRETS["tool's key"]}`;
    await post({ query: CREATE_TOKEN }, { authorization }, ['stream token']);
    const { headers } = await ask(`/live/${SECRETS["player's key"]}`, {}, ['stream token']);
    expect(headers.get('location')).toContain(SECRETS['stream token']);
  },
  'the built client is sent': async () => {
    const { text } = await ask('/dashboard');
    const assets = text.match(/\/assets\/[\w.-]+/g) ?? [];
    expect(assets.length).toBeGreaterThan(1);
    for (const asset of assets) await ask(asset);
  },
  'a person types it into the wrong field': async () => {
    await login(SECRETS.username, wrong);
    await login(right, wrong);
    await login(`${wrong}\u0000`, right);
    for (const value of [right.repeat(3), SECRETS["tool's key"], [right], { value: right }, [[wrong]]]) {
      await login(value, right);
      await login(SECRETS.username, value);
    }
    await post({ query: LOGIN, variables: right });
    await post({ query: LOGIN, variables: { [word]: right } });
  },
  'a program writes it into an operation': async () => {
    for (const operation of HOSTILE_OPERATIONS) {
      await post({ query: operation });
      const headers = { 'apollo-require-preflight': '1' };
      await ask(`/graphql?query=${encodeURIComponent(operation)}`, { headers });
    }
    await post({ query: SESSION, operationName: SECRETS.pasted });
    await post({ query: SESSION, extensions: { secret: SECRETS.pasted } });
    await post([{ query: LOGIN, variables: { username: word, password: word } }]);
  },
  'a program sends it as a body that cannot be read': async () => {
    for (const body of [`{"password":"${word}"`, `{"query":${word}}`, `"${word}"`, word.repeat(800)]) {
      await post(body);
      await post(body, { 'content-type': `text/plain; ${word}=1` });
      await post(body, { 'content-type': `application/json; charset=${word}` });
    }
    await send(`${word}\r\n\r\n`);
    await send(`GET /${word} HTTP/1.1\r\nHost: x\r\nX-${word}: ${word.repeat(1_000)}\r\n\r\n`);
    await send(`POST /graphql HTTP/1.1\r\nHost: ${word}\r\nContent-Length: ${word}\r\n\r\n`);
  },
  'it is pasted into an address or a header': async () => {
    for (const name of PASTED) {
      const pasted = encodeURIComponent(SECRETS[name]);
      for (const at of inPath(pasted)) {
        // A player's address works with a repeated slash, and with more behind its key.
        await ask(at, {}, name === "player's key" && /^\/+live\//.test(at) ? ['stream token'] : []);
        await ask(at, { method: 'POST' });
      }
      for (const header of HEADERS) {
        await post({ query: SESSION }, { [header]: pasted });
        await ask('/nobody', { headers: { [header]: pasted } });
      }
      const mayHold: Secret[] = PASTED_WITH_STREAM.includes(name) ? ['stream token'] : [];
      for (const authorization of [`Bearer ${pasted}`, `Basic ${pasted}`, pasted]) {
        await post({ query: CREATE_TOKEN }, { authorization }, mayHold);
      }
      await post(
        { query: CREATE_TOKEN },
        { cookie: `audio_session=${pasted}; audio_device=${pasted}` },
        mayHold,
      );
    }
  },
  'the provider fails': async () => {
    for (const failure of PROVIDER_FAILURES) {
      providerAnswer = failure;
      expect((await post({ query: CREATE_TOKEN }, session)).text).toContain('PROVIDER_');
    }
    const { text } = await ask(`/live/${SECRETS['key of a player without a token']}`);
    expect(text).toContain('The media provider');
  },
  'the database goes away': async () => {
    databaseProxy.refuse();
    databaseProxy.cut();
    await login(SECRETS.username, right);
    for (const operation of [SESSION, CREATE_TOKEN, LOGOUT]) {
      expect((await post({ query: operation }, session)).text).toContain('DATABASE_UNAVAILABLE');
    }
    const { text } = await ask(`/live/${SECRETS["player's key"]}`);
    expect(text).toContain('The database cannot be reached');
    await ask('/readyz');
  },
};

test.each(Object.entries(SITUATIONS))('no answer holds a canary when %s', async (_when, provoke) => {
  await provoke();
  expect(leaks).toEqual([]);
});

test('no metric holds a canary after all of it', async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${production.METRICS_PORT}/metrics`)).text();
  expect(metrics).toMatch(/\{account="[^"]+",key="player's key",outcome="success"\}/);
  expect(leaksIn(metrics, SECRETS)).toEqual([]);
});

test('the log holds no canary after all of it', async () => {
  const closed = once(server, 'close');
  expect(await stopServer(server, 'SIGINT')).toBe(0);
  await closed;
  expect(server.output).toContain('"PROVIDER_BAD_ANSWER"');
  expect(server.output).toContain('"DATABASE_UNAVAILABLE"');
  expect(leaksIn(server.output, SECRETS)).toEqual([]);
});

test.each<[string, () => Record<string, string>]>([
  ['an unreachable host', () => ({ DATABASE_URL: databaseAt({ hostname: SECRETS['database host'] }) })],
  ['a wrong password', () => ({ DATABASE_URL: databaseAt({ password: SECRETS['database password'] }) })],
])('a start that fails by %s shows no canary', async (_what, changes) => {
  const env = { ...production, PORT: '0', METRICS_PORT: '', ...changes() };
  const { failure, logLines, close } = await startServerHere('', { env });
  await close();
  expect(failure).not.toBeNull();
  expect(failure).not.toMatch(/^\s+at /m);
  expect(leaksIn(`${failure}${logLines.join('')}`, SECRETS)).toEqual([]);
});

test('a refused configuration shows no canary', () => {
  let message = misspeltWarnings({ HOTS: word }).join('');
  try {
    readConfig(Object.fromEntries(KNOWN_VARIABLES.map((name) => [name, word])));
  } catch (error) {
    message += explainStartError(error);
  }
  for (const name of ['HOTS', 'DATABASE_URL must', 'FIREBASE_CONFIG must']) expect(message).toContain(name);
  expect(leaksIn(message, SECRETS)).toEqual([]);
});

test('an account command shows of its database only the host', async () => {
  const { 'database host': hostname, 'database password': password } = SECRETS;
  const remarks: string[] = [];
  const onRemark = (text: string) => remarks.push(text);
  const outcome = await runAccountHere(['list'], { url: databaseAt({ hostname, password }), onRemark });
  expect(outcome.exitCode).toBe(1);
  expect(leaksIn(outcome.output + remarks.join(''), SECRETS)).toEqual(['database host']);
});
