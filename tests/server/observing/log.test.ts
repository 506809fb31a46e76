import { EventEmitter, once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

type Line = Record<string, unknown>;

/** Characters that a terminal obeys or does not show. */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
const HOSTILE = '\u001b[2J\r\n\u0000\u007f\u009b31m\u2028\u202eoculto\u2066\ufeff\u{e0041}';

let provider = providerOf('dG9rZW4=');
const app = provideTestApp({
  provider: { fetchToken: () => provider.fetchToken(), close: async () => {} },
  trustProxy: 1,
});
let accountId: string;
let headers: { authorization: string };

beforeAll(async () => {
  accountId = (await app.addAccount(ACCOUNT)).id;
  headers = await app.bearer();
});
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

describe('a request', () => {
  test('of the API is one line', async () => {
    const answer = await app.graphql(LOGIN, {
      variables: { username: ACCOUNT.username, password: ACCOUNT.password },
      headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'theirs' },
    });
    await requests();
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
        operation: 'Login',
        fields: ['login'],
        account: accountId,
        msg: 'request',
      },
    ]);
    expect(answer.headers.get('x-request-id')).toBe(lines()[0]?.reqId);
  });

  test('that fails has a second line with the reason', async () => {
    provider = providerOf(new ProviderFailure('PROVIDER_UNAVAILABLE', 'status', 'status 503'));
    const answer = await app.graphql(CREATE_TOKEN, { headers });
    await requests();
    const reqId = answer.headers.get('x-request-id');
    expect(lines().map((line) => line.reqId)).toEqual([reqId, reqId]);
    expect(lines().filter(({ level }) => level !== 'info')).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        reqId,
        code: 'PROVIDER_UNAVAILABLE',
        reason: 'status 503',
        msg: 'failed',
      },
    ]);
  });

  test('that fails unexpectedly is logged once', async () => {
    provider = providerOf(new TypeError('boom', { cause: new RangeError('deeper') }));
    const { errors } = await app.graphql(CREATE_TOKEN, { headers });
    expect(errors).toMatchObject([{ message: 'Internal server error' }]);
    await requests();
    expect(lines().filter(({ level }) => level === 'error')).toMatchObject([
      {
        code: 'INTERNAL_SERVER_ERROR',
        err: {
          type: 'TypeError',
          message: 'boom',
          stack: expect.arrayContaining([expect.stringMatching(/^at .*log\.test\.ts:\d+/)]),
          cause: { type: 'RangeError', message: 'deeper' },
        },
      },
    ]);
  });

  test('that is refused tells its code', async () => {
    await app.login(ACCOUNT.username, 'contraseña-mala');
    await app.login('nadie@aqui.example', 'contraseña-mala');
    await app.graphql(`mutation { ...out } fragment out on Mutation { logout }`, { headers });
    await app.graphql(LOGOUT);
    await app.graphql('{ nothing }');
    headers = await app.bearer();
    const [wrong, unknown, signedOut, anonymous, invalid] = await requests(6);
    expect(wrong).toMatchObject({ fields: ['login'], codes: ['INVALID_CREDENTIALS'], account: accountId });
    expect(unknown).toMatchObject({ fields: ['login'], codes: ['INVALID_CREDENTIALS'] });
    expect(unknown).not.toHaveProperty('account');
    expect(signedOut).toMatchObject({ fields: ['logout'], account: accountId });
    expect(anonymous).not.toHaveProperty('codes');
    expect(invalid).toMatchObject({ status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] });
  });

  test.each([
    ['for an unknown path', '/nobody?secret=1', 404, 'NOT_FOUND'],
    ['for an unreadable path', '/%zz', 400, 'BAD_REQUEST'],
  ])('%s is a line with its code', async (_what, at, status, code) => {
    await fetch(app.url + at, { headers: { accept: 'application/json' } });
    expect(await requests()).toMatchObject([{ status, codes: [code] }]);
  });

  test('that is not HTTP is a line with its fault', async () => {
    const tooMuch = `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(35_000)}\r\n\r\n`;
    for (const bytes of [tooMuch, 'not HTTP\r\n\r\n']) await (await sendRaw(app.url, bytes)).answer;
    expect(lines()).toMatchObject([
      { level: 'info', status: 431, code: 'HPE_HEADER_OVERFLOW', address: '127.0.0.1' },
      { level: 'info', status: 400, code: expect.stringMatching(/^HPE_/) },
    ]);
  });

  test('whose caller leaves early is a line without a status', async () => {
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
    const [line] = await requests();
    expect(line).toMatchObject({ callerLeft: true, fields: ['createToken'], account: accountId });
    expect(line).not.toHaveProperty('status');
    calls.emit('answer', 'dG9rZW4=');
  });

  test('for a health check that succeeds is no line', async () => {
    await fetch(`${app.url}/healthz`);
    await fetch(`${app.url}/readyz`);
    await app.graphql(SESSION);
    expect(await requests()).toMatchObject([{ route: '/graphql' }]);
  });
});

test('the line of a request names its client and trace', async () => {
  const sent = {
    'apollographql-client-name': 'playout',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  };
  await app.graphql(SESSION, { headers: { ...headers, ...sent } });
  const [line] = await requests();
  expect(line).toMatchObject({ client: 'playout', trace: '4bf92f3577b34da6a3ce929d0e0e4736' });
});

describe('the log', () => {
  function logged(use: (log: ReturnType<typeof createLog>) => void): string {
    let written = '';
    use(createLog({ level: 'trace', output: { write: (line) => (written += line) } }));
    return written;
  }

  test('gives a terminal nothing to obey', async () => {
    provider = providerOf(new ProviderFailure('PROVIDER_BAD_ANSWER', 'answer', HOSTILE));
    await app.graphql(CREATE_TOKEN, { headers });
    await app.graphql(SESSION, { headers: { 'x-forwarded-for': '\u009b31m' } });
    await app.graphql(`query A${'a'.repeat(64)} { session { id } }`);
    const [, unknownAddress, longName] = await requests(3);
    expect(app.logLines.join('')).not.toMatch(INVISIBLE);
    expect(app.logLines.join('')).toContain('\\u202eoculto');
    expect(unknownAddress).toMatchObject({ address: null });
    expect(longName).not.toHaveProperty('operation');
  });

  test.each(['password', 'username', 'jwt', 'token', 'cookie', 'authorization', 'connectionString', 'url'])(
    'hides the field %s',
    (key) => {
      const log = logged((to) => to.warn({ [key]: 'canario-1', inside: { [key]: 'canario-2' } }, 'careless'));
      expect(JSON.parse(log)).toMatchObject({ [key]: '[secret]', inside: { [key]: '[secret]' } });
    },
  );
});
