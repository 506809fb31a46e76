import { EventEmitter, once } from 'node:events';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../../server/observing/log.ts';
import { ProviderFailure } from '../../../server/streamTokens/providerErrors.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  LOGOUT,
  providerOf,
  provideTestApp,
  SESSION,
} from '../../support/testApp.ts';

/** Characters that a terminal obeys or does not show. */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
const HOSTILE = '\u001b[2J\r\n\u0000\u007f\u009b31m\u2028\u202eoculto\u2066\ufeff\u{e0041}';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

let provider = providerOf('dG9rZW4=');
const app = provideTestApp({
  provider: { fetchToken: () => provider.fetchToken(), close: async () => {} },
  trustProxy: 1,
});
let accountId: string;
let headers: { authorization: string };

beforeAll(async () => {
  accountId = (await app.addAccount(ACCOUNT)).id;
});
beforeEach(async () => {
  headers = await app.bearer();
  app.logLines.length = 0;
});

const lines = () => app.logLines.map((line) => JSON.parse(line));

test('a request of the API is one line', async () => {
  const answer = await app.graphql(LOGIN, {
    variables: { username: ACCOUNT.username, password: ACCOUNT.password },
    headers: {
      'x-forwarded-for': '203.0.113.7',
      'x-request-id': 'theirs',
      'apollographql-client-name': 'playout',
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    },
  });
  expect(lines()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      reqId: expect.stringMatching(/^[\da-f-]{36}$/),
      method: 'POST',
      route: '/graphql',
      status: 200,
      ms: expect.any(Number),
      address: '203.0.113.7',
      client: 'playout',
      trace: TRACE,
      operation: 'Login',
      fields: ['login'],
      account: accountId,
      msg: 'request',
    },
  ]);
  expect(answer.headers.get('x-request-id')).toBe(lines()[0].reqId);
});

test.each([
  ['a proxy’s bearer token', { authorization: 'Bearer opaque' }, 'session cookie'],
  ['nothing', {}, undefined],
])(
  'the line of a refused request says that its cookie was ignored beside %s',
  async (_what, sent, ignored) => {
    await app.graphql(CREATE_TOKEN, { headers: { cookie: 'audio_session=x', ...sent } });
    expect(lines().find(({ msg }) => msg === 'request').ignored).toBe(ignored);
  },
);

test('a failure is a line with its reason', async () => {
  provider = providerOf(new ProviderFailure('PROVIDER_UNAVAILABLE', 'status', 'status 503'));
  const answer = await app.graphql(CREATE_TOKEN, { headers });
  const reqId = answer.headers.get('x-request-id');
  expect(lines()).toMatchObject([
    { level: 'warn', reqId, code: 'PROVIDER_UNAVAILABLE', reason: 'status 503', msg: 'failed' },
    { level: 'info', reqId },
  ]);
});

test('an unexpected failure is a line with its stack', async () => {
  provider = providerOf(new TypeError('boom', { cause: new RangeError('deeper') }));
  const { errors } = await app.graphql(CREATE_TOKEN, { headers });
  expect(errors).toMatchObject([{ message: 'Internal server error' }]);
  const stack = expect.arrayContaining([expect.stringMatching(/^at .*log\.test\.ts:\d+/)]);
  const err = { type: 'TypeError', message: 'boom', stack, cause: { type: 'RangeError', message: 'deeper' } };
  expect(lines()).toMatchObject([{ level: 'error', code: 'INTERNAL_SERVER_ERROR', err }, { msg: 'request' }]);
});

test('a page that asks for the notice is a line only if it fails', async () => {
  const find = vi.spyOn(app.prisma.notice, 'findUnique').mockRejectedValueOnce(new Error('away'));
  onTestFinished(() => find.mockRestore());
  await app.graphql('{ notice { text } }');
  expect(lines().at(-1)).toMatchObject({ level: 'info', codes: ['INTERNAL_SERVER_ERROR'] });
  await app.graphql('{ notice { text } }');
  expect(lines().at(-1)).toMatchObject({ level: 'debug', fields: ['notice'] });
});

test('a refused request tells its code', async () => {
  await app.login(ACCOUNT.username, 'contraseña-mala');
  await app.login('nadie@aqui.example', 'contraseña-mala');
  await app.graphql(`mutation { ...out } fragment out on Mutation { logout }`, { headers });
  await app.graphql(LOGOUT);
  await app.graphql('{ nothing }');
  const [wrong, unknown, signedOut, anonymous, invalid] = lines();
  expect(wrong).toMatchObject({ fields: ['login'], codes: ['INVALID_CREDENTIALS'], account: accountId });
  expect(unknown).not.toHaveProperty('account');
  expect(signedOut).toMatchObject({ fields: ['logout'], account: accountId });
  expect(anonymous).not.toHaveProperty('codes');
  expect(invalid).toMatchObject({ status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] });
});

test.each([
  ['an unknown path', '/nobody?secret=1', 404, 'NOT_FOUND'],
  ['an unreadable path', '/%zz', 400, 'BAD_REQUEST'],
])('a request for %s is a line with its code', async (_what, at, status, code) => {
  const answer = await fetch(app.url + at, { headers: { accept: 'application/json' } });
  await app.logged(answer.headers.get('x-request-id'));
  expect(lines()).toMatchObject([{ status, codes: [code] }]);
});

test('a request that is not HTTP is a line with its fault', async () => {
  const tooMuch = `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(35_000)}\r\n\r\n`;
  for (const bytes of [tooMuch, 'not HTTP\r\n\r\n']) await (await sendRaw(app.url, bytes)).answer;
  expect(lines()).toMatchObject([
    { level: 'info', status: 431, code: 'HPE_HEADER_OVERFLOW', address: '127.0.0.1' },
    { level: 'info', status: 400, code: expect.stringMatching(/^HPE_/) },
  ]);
});

test('a request whose caller leaves early is a line without a status', async () => {
  const calls = new EventEmitter();
  const fetchToken = async () => {
    calls.emit('asked');
    const [token] = await once(calls, 'answer');
    return token;
  };
  provider = { fetchToken, close: async () => {} };
  const caller = new AbortController();
  const asked = once(calls, 'asked');
  const left = app.graphql(CREATE_TOKEN, { headers, signal: caller.signal }).catch(() => 'left');
  await asked;
  caller.abort();
  await left;
  await expect.poll(lines).toMatchObject([{ callerLeft: true, fields: ['createToken'], account: accountId }]);
  expect(lines()[0]).not.toHaveProperty('status');
  calls.emit('answer', 'dG9rZW4=');
});

test('a health check that succeeds is no line', async () => {
  await fetch(`${app.url}/healthz`);
  await fetch(`${app.url}/readyz`);
  await app.graphql(SESSION);
  expect(lines()).toMatchObject([{ route: '/graphql' }]);
});

test('the log gives a terminal nothing to obey', async () => {
  provider = providerOf(new ProviderFailure('PROVIDER_BAD_ANSWER', 'answer', HOSTILE));
  await app.graphql(CREATE_TOKEN, { headers });
  await app.graphql(`query A${'a'.repeat(64)} { session { id } }`, {
    headers: { 'x-forwarded-for': '\u009b31m' },
  });
  expect(app.logLines.join('')).not.toMatch(INVISIBLE);
  expect(app.logLines.join('')).toContain('\\u202eoculto');
  expect(lines().at(-1)).toMatchObject({ address: null });
  expect(lines().at(-1)).not.toHaveProperty('operation');
});

test('the log hides fields that may hold secrets', () => {
  const names = 'password username jwt token cookie authorization connectionString url'.split(' ');
  const fields = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  const written: string[] = [];
  const log = createLog({ level: 'warn', output: { write: (line) => written.push(line) } });
  log.warn({ ...fields('canario'), inside: fields('canario') }, 'careless');
  expect(JSON.parse(written.join())).toMatchObject({ ...fields('[secret]'), inside: fields('[secret]') });
});
