import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { CodedError } from '../../../server/errors.ts';
import { createLog } from '../../../server/observing/log.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  providerOf,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';

type Line = Record<string, unknown>;

/** Characters that a terminal obeys or does not show. */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
const HOSTILE = '\u001b[2J\r\n\u0000\u007f\u009b31m\u2028\u202eoculto\u2066\ufeff\u{e0041}';

let app: TestApp;
let accountId: string;
let provider = providerOf('dG9rZW4=');

beforeAll(async () => {
  app = await startTestApp({
    provider: { fetchToken: () => provider.fetchToken(), close: async () => {} },
    trustProxy: 1,
  });
  accountId = (await app.addAccount(ACCOUNT)).id;
});
afterAll(() => app.close());
beforeEach(() => {
  app.logLines.length = 0;
});

const lines = (): Line[] => app.logLines.map((line) => JSON.parse(line));

/** The lines of requests, once there are as many: each is written when its connection is done with it. */
async function requests(count = 1): Promise<Line[]> {
  const found = () => lines().filter(({ msg }) => msg === 'request');
  await expect.poll(() => found().length).toBe(count);
  return found();
}

/** Sends these bytes and returns the answer. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('a request of the API', () => {
  test('is one line: what was asked, by whom, from where, and what came of it', async () => {
    const { headers } = await app.graphql(LOGIN, {
      variables: { username: ACCOUNT.username, password: ACCOUNT.password },
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
    const [line] = await requests();
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      reqId: headers.get('x-request-id'),
      method: 'POST',
      route: '/graphql',
      status: 200,
      ms: expect.any(Number),
      address: '203.0.113.7',
      operation: 'Login',
      fields: ['login'],
      account: accountId,
      msg: 'request',
    });
    expect(lines()).toHaveLength(1);
  });

  test('has an id of ours on all of its lines and in its answer, whatever id it came with', async () => {
    const cause = new Error('not asked', { cause: new Error('status 503') });
    provider = providerOf(new CodedError('PROVIDER_UNAVAILABLE', 'No', { cause }));
    const headers = { ...(await app.bearer()), 'x-request-id': 'theirs', 'request-id': 'theirs' };
    await requests();
    app.logLines.length = 0;
    const answer = await app.graphql(CREATE_TOKEN, { headers });
    await requests();
    const id = answer.headers.get('x-request-id');
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(lines().map(({ reqId }) => reqId)).toEqual([id, id]);
    expect(lines().filter(({ level }) => level !== 'info')).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        reqId: id,
        code: 'PROVIDER_UNAVAILABLE',
        reason: 'not asked: status 503',
        msg: 'failed',
      },
    ]);
    expect((await fetch(`${app.url}/healthz`)).headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  test('that is refused tells the codes, and whose account it was meant for where there is one', async () => {
    await app.login(ACCOUNT.username, 'contraseña-mala');
    await app.login('nadie@aqui.example', 'contraseña-mala');
    await app.graphql(CREATE_TOKEN);
    await app.graphql('{ nothing }');
    const [wrong, unknown, anonymous, invalid] = await requests(4);
    expect(wrong).toMatchObject({ fields: ['login'], codes: ['INVALID_CREDENTIALS'], account: accountId });
    expect(unknown).toMatchObject({ fields: ['login'], codes: ['INVALID_CREDENTIALS'] });
    expect(unknown).not.toHaveProperty('account');
    expect(anonymous).toMatchObject({ fields: ['createToken'], codes: ['UNAUTHENTICATED'] });
    expect(invalid).toMatchObject({ status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] });
  });

  test('beyond the limit of attempts, a new token, and a sign-out can be told from the log', async () => {
    const headers = await app.bearer();
    const forwarded = { 'x-forwarded-for': '203.0.113.99' };
    const variables = { username: ACCOUNT.username, password: 'contraseña-mala' };
    for (let attempt = 0; attempt < 6; attempt += 1)
      await app.graphql(LOGIN, { variables, headers: forwarded });
    provider = providerOf('dG9rZW4=');
    await app.graphql(CREATE_TOKEN, { headers });
    await app.graphql(`mutation { ...out } fragment out on Mutation { logout }`, { headers });
    const [limited, created, signedOut] = (await requests(9)).slice(-3);
    expect(limited).toMatchObject({ codes: ['RATE_LIMITED'], address: '203.0.113.99', account: accountId });
    expect(created).toMatchObject({ fields: ['createToken'], account: accountId });
    expect(created).not.toHaveProperty('codes');
    expect(signedOut).toMatchObject({ fields: ['logout'], account: accountId });
  });

  test('is a line also when it is no GraphQL, too large, no HTTP or of nobody', async () => {
    const json = { 'content-type': 'application/json' };
    const post = (body: string, headers: Record<string, string> = json) =>
      fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
    await post('{"query":');
    await post('x'.repeat(20_000));
    await post('x', { 'content-type': 'text/plain' });
    await fetch(`${app.url}/nobody?secret=1`);
    await fetch(`${app.url}/%zz`);
    await fetch(`${app.url}/graphql?query={session{id}}`);
    await fetch(`${app.url}/graphql`, { method: 'PUT' });
    expect((await requests(7)).map(({ status, codes }) => [status, codes])).toEqual([
      [400, ['BAD_REQUEST']],
      [413, ['PAYLOAD_TOO_LARGE']],
      [415, ['UNSUPPORTED_MEDIA_TYPE']],
      [404, ['NOT_FOUND']],
      [400, ['BAD_REQUEST']],
      [400, ['BAD_REQUEST']],
      [405, ['METHOD_NOT_ALLOWED']],
    ]);
    expect(app.logLines.join('')).not.toMatch(/nobody|%zz|secret/);

    app.logLines.length = 0;
    const overflow = await raw(`GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'galleta'.repeat(5_000)}\r\n\r\n`);
    const gibberish = await raw('canario-secreto\r\n\r\n');
    expect(overflow).toMatch(/^HTTP\/1\.1 431 /);
    expect(gibberish).toMatch(/^HTTP\/1\.1 400 /);
    expect(lines()).toMatchObject([
      { level: 'info', status: 431, code: 'HPE_HEADER_OVERFLOW', address: '127.0.0.1' },
      { level: 'info', status: 400, code: expect.stringMatching(/^HPE_/) },
    ]);
    expect(app.logLines.join('')).not.toMatch(/galleta|canario/);
  });

  test('is a line also when its caller goes away, before the answer or in the middle of asking', async () => {
    const calls = new EventEmitter();
    provider = {
      async fetchToken() {
        calls.emit('asked');
        const [token] = await once(calls, 'answer');
        return token;
      },
      close: async () => {},
    };
    const headers = await app.bearer();
    await requests();
    app.logLines.length = 0;
    const caller = new AbortController();
    const asked = once(calls, 'asked');
    const left = fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: CREATE_TOKEN }),
      signal: caller.signal,
    }).catch(() => 'left');
    await asked;
    caller.abort();
    await left;
    const [line] = await requests();
    expect(line).toMatchObject({ callerLeft: true, fields: ['createToken'], account: accountId });
    expect(line).not.toHaveProperty('status');
    calls.emit('answer', 'dG9rZW4=');

    app.logLines.length = 0;
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 900\r\n\r\n{"query":');
    await expect.poll(async () => (await fetch(`${app.url}/healthz`)).status).toBe(200);
    socket.resetAndDestroy();
    expect(await requests()).toMatchObject([{ callerLeft: true }]);
    expect(lines().filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('pages, files and health checks that go well leave no line', async () => {
    await fetch(`${app.url}/healthz`);
    await fetch(`${app.url}/readyz`);
    await app.graphql(SESSION);
    expect(await requests()).toMatchObject([{ route: '/graphql' }]);
  });
});

describe('a failure', () => {
  test('that nobody foresaw is logged once, with where it was', async () => {
    provider = providerOf(new TypeError('boom'));
    const headers = await app.bearer();
    await app.graphql(CREATE_TOKEN, { headers });
    await requests(2);
    const failures = lines().filter(({ level }) => level === 'error');
    expect(failures).toMatchObject([
      { code: 'INTERNAL_SERVER_ERROR', err: { type: 'TypeError', message: 'boom' } },
    ]);
    expect(app.logLines.join('')).toMatch(/at .*log\.test\.ts:\d+/);
  });
});

describe('the log', () => {
  function logged(use: (log: ReturnType<typeof createLog>) => void): string {
    let written = '';
    use(createLog({ level: 'trace', output: { write: (line) => (written += line) } }));
    return written;
  }

  test('gives a terminal nothing to obey, whatever callers and providers send', async () => {
    provider = providerOf(new CodedError('PROVIDER_BAD_ANSWER', 'No', { cause: new Error(HOSTILE) }));
    const headers = await app.bearer();
    await app.graphql(CREATE_TOKEN, { headers });
    await app.login(`usuario${HOSTILE}`, `clave${HOSTILE}`);
    await app.graphql(SESSION, { headers: { 'user-agent': '\u009b31m', 'x-forwarded-for': '\u009b31m' } });
    await app.graphql(`query A${'a'.repeat(64)} { session { id } }`);
    await fetch(`${app.url}/graphql${encodeURIComponent(HOSTILE)}`);
    await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: SESSION, operationName: HOSTILE }),
    });
    await requests(7);
    const log = app.logLines.join('');
    expect(log).not.toMatch(INVISIBLE);
    expect(log).toContain('\\u202eoculto');
    expect(log).not.toContain('aaaa');
    expect(lines().map(({ address }) => address)).not.toContain('\u009b31m');
  });

  test.each(['password', 'username', 'jwt', 'token', 'cookie', 'authorization', 'connectionString', 'url'])(
    'hides what is logged as %s, also within an object',
    (key) => {
      const log = logged((to) => to.warn({ [key]: 'canario-1', inside: { [key]: 'canario-2' } }, 'careless'));
      expect(log).not.toContain('canario');
      expect(JSON.parse(log)).toMatchObject({ [key]: '[secret]', inside: { [key]: '[secret]' } });
    },
  );

  test.each<[string, () => unknown]>([
    ['PostgreSQL', () => pgError()],
    [
      'the network',
      () => Object.assign(new Error('connect canario:5432'), { syscall: 'connect', code: 'EX' }),
    ],
    ['Prisma', () => Object.assign(new Error('`canario`'), { name: 'PrismaClientKnownRequestError' })],
    ['zod', () => thrown(() => z.literal('x').parse('canario', { reportInput: true }))],
    ['an address', () => new Error('cannot GET https://canario:canario@x/?key=canario now')],
    ['a JWT', () => new Error('bad eyJjYW5hcmlv.canario.canario-_x')],
    ['fields', () => Object.assign(new Error('x'), { config: { url: 'canario' }, input: 'canario' })],
    ['a cause', () => new Error('x', { cause: pgError() })],
  ])('takes over from an error nothing that it may carry: %s', (_from, make) => {
    const log = logged((to) => to.error({ err: make() }, 'failed'));
    expect(log).not.toContain('canario');
    expect(log).toContain('"err":{"type":');
  });

  test('loses no line at the end of the process, and keeps nobody waiting who does not read it', async () => {
    const program = `
      const { createLog, flushed } = await import('./server/observing/log.ts');
      const log = createLog({ level: 'info' });
      for (let line = 1; line <= 20000; line += 1) log.info({ line }, 'x'.repeat(100));
      process.stderr.write('went on');
      await flushed(log);
      process.exit(0);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: PROJECT_ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
    expect(said).toBe('went on');
    const written: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text) => written.push(text));
    await once(child, 'close');
    const numbers = written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).line);
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
  });
});

function pgError(): Error {
  const error = new Error('invalid input syntax for type uuid: "canario"');
  return Object.assign(error, { severity: 'ERROR', code: '22P02', detail: 'canario', where: 'canario' });
}

function thrown(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
