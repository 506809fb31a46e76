import { request } from 'undici';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { KeyKind } from '../../../server/generated/prisma/client.ts';
import { keyHashOf, newKey } from '../../../server/signIn/accountKeys.ts';
import { badAnswer, ProviderAbsent } from '../../../server/streamTokens/providerFailure.ts';
import { startTcpProxy } from '../../support/tcpProxy.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  providerOf,
  STREAM_BASE_URL,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';

/** With characters that a redirect must not re-encode. */
const TOKEN = 'c2VydmVyX3+/%2BaGE=';
const HOUR_MS = 3_600_000;

let app: TestApp;
let accountId: string;
beforeEach(async () => {
  app = await startTestApp({ provider: providerOf(TOKEN), tokenLimits: { maxAtOnce: 4, maxPerMinute: 3 } });
  ({ id: accountId } = await app.addAccount(ACCOUNT));
});
afterEach(() => app.close());

async function addKey(
  kind: KeyKind = 'PLAYER',
  expiresAt = new Date(Date.now() + HOUR_MS),
  name = `Códec ${kind}`,
): Promise<string> {
  const key = newKey(kind);
  const data = { accountId, name, kind, keyHash: keyHashOf(key), expiresAt };
  await app.prisma.accountKey.create({ data });
  return key;
}

/** Opens an address without following where it leads; resolves once the request is in the log. */
async function open(key: string, method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' | 'TRACE' = 'GET', of = app) {
  const { statusCode: status, headers, body } = await request(`${of.url}/live/${key}`, { method });
  const text = await body.text();
  await of.logged(headers['x-request-id']);
  return { status, headers, text };
}

/** An answer in one line of text, which nobody keeps. */
const refusal = (status: number, said: string) => ({
  status,
  text: expect.stringMatching(new RegExp(`^[^\n]*${said}[^\n]*\n$`)),
  headers: expect.objectContaining({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.any(String),
  }),
});

test.each(['GET', 'HEAD'] as const)(
  '%s leads to the stream with a new token, which the ledger, the log and nothing else has',
  async (method) => {
    const key = await addKey();
    const { status, headers, text } = await open(key, method);
    expect({ status, location: headers.location }).toEqual({
      status: 302,
      location: STREAM_BASE_URL + TOKEN,
    });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(text).not.toContain(TOKEN);
    const records = await app.prisma.tokenRecord.findMany();
    expect(records).toMatchObject([
      { accountId, outcome: 'ISSUED', client: 'TOOL', keyName: 'Códec PLAYER', address: '127.0.0.1' },
    ]);
    expect(app.logLines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ route: '/live/*', status: 302, account: accountId, key: 'Códec PLAYER' }),
    );
    for (const secret of [key, TOKEN]) expect(app.logLines.join('')).not.toContain(secret);
  },
);

test('anything but a valid key of a player is refused with 403, and never logged', async () => {
  const { jwt } = await app.signIn();
  const key = await addKey();
  const sent = {
    unknown: newKey('PLAYER'),
    'an API key': await addKey('TOOL'),
    'a session': jwt,
    none: '',
    long: `${key}${'A'.repeat(2_000)}`,
    short: key.slice(0, -1),
    'with more': `${key}/more.mp3`,
    'with a slash': `${key}/`,
    'with a NUL': `${key}%00`,
    'with a line end': `${key}%0d%0aset-cookie:%20a=b`,
    'in capitals': key.toUpperCase(),
    'of the other kind': key.replace('live', 'tool'),
  };
  for (const [what, text] of Object.entries(sent)) {
    expect([what, await open(text)]).toEqual([what, refusal(403, 'ask the broadcaster for another')]);
    if (text !== '') expect(app.logLines.join('')).not.toContain(text);
  }
  expect(await app.prisma.tokenRecord.count()).toBe(0);
  expect(await open(key)).toMatchObject({ status: 302 });
  expect(app.logLines.join('')).not.toContain(key);
});

test.each<[string, () => Promise<unknown>]>([
  ['its account is disabled', () => app.prisma.account.updateMany({ data: { disabled: true } })],
  ['its account is deleted', () => app.prisma.account.deleteMany()],
  ['it is revoked', () => app.prisma.accountKey.deleteMany()],
  ['it expires', () => app.prisma.accountKey.updateMany({ data: { expiresAt: new Date() } })],
])('a key is refused from the next request on when %s', async (_what, end) => {
  const key = await addKey();
  expect(await open(key)).toMatchObject({ status: 302 });
  await end();
  expect(await open(key)).toEqual(refusal(403, 'ask the broadcaster for another'));
});

test('beyond the limits of the account’s tools the answer is 429 with Retry-After', async () => {
  const [key, headers] = [await addKey(), await app.bearer()];
  for (const _ of [1, 2, 3]) await app.graphql(CREATE_TOKEN, { headers });
  const refused = await open(key);
  expect(refused).toEqual(refusal(429, 'Too many tokens in a minute'));
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
  expect(await app.prisma.tokenRecord.count()).toBe(3);
});

test('twelve openings within a minute over two instances make two tokens', async () => {
  const { databaseUrl } = app;
  let made = 0;
  const provider = { fetchToken: async () => `dG9rZW4${++made}`, async close() {} };
  const instances = await Promise.all([1, 2].map(() => startTestApp({ databaseUrl, provider })));
  for (const { close } of instances) onTestFinished(close);
  const key = await addKey();
  const openings = Array.from({ length: 12 }, (_, turn) => open(key, 'GET', instances[turn % 2]));
  const answers = await Promise.all(openings);
  expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 302));
  expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(2);
  expect(made).toBe(2);
  expect(await app.prisma.tokenRecord.count()).toBe(2);
});

test('GET after HEAD leads to the same token, and another key to one of its own', async () => {
  const [key, other] = [await addKey(), await addKey('PLAYER', undefined, 'Estudio')];
  const { headers } = await open(key, 'HEAD');
  expect((await open(key)).headers.location).toBe(headers.location);
  expect(await app.prisma.tokenRecord.count()).toBe(1);
  await open(other);
  expect(await app.prisma.tokenRecord.count()).toBe(2);
});

test('openings with a recent token do not count against the limits', async () => {
  const [key, other] = [await addKey(), await addKey('PLAYER', undefined, 'Estudio')];
  for (let opening = 0; opening < 10; opening += 1) expect(await open(key)).toMatchObject({ status: 302 });
  expect(await open(other)).toMatchObject({ status: 302 });
});

test('a page of another site may embed the address, and nothing else of this server', async () => {
  const policy = 'cross-origin-resource-policy';
  expect((await open(newKey('PLAYER'))).headers[policy]).toBe('cross-origin');
  for (const other of ['/healthz', '/graphql', '/live', '/']) {
    const { headers, body } = await request(`${app.url}${other}`);
    await body.dump();
    expect([other, headers[policy]]).toEqual([other, 'same-origin']);
  }
});

test.each([
  ['absent', new ProviderAbsent('connection', 'test'), 'PROVIDER_UNAVAILABLE'],
  ['changed', badAnswer('test'), 'PROVIDER_BAD_ANSWER'],
])('with the provider %s it is 503 with Retry-After, and recorded', async (_what, error, outcome) => {
  const { databaseUrl } = app;
  const failing = await startTestApp({ databaseUrl, provider: providerOf(error) });
  onTestFinished(failing.close);
  const key = await addKey();
  const refused = await open(key, 'GET', failing);
  expect(refused).toEqual(refusal(503, 'The media provider'));
  expect(refused.headers['retry-after']).toBe('5');
  expect(await app.prisma.tokenRecord.findMany()).toMatchObject([{ outcome, keyName: 'Códec PLAYER' }]);
  expect(failing.logLines.join('')).toContain(`"codes":["${outcome}"]`);
});

test('without the database the answer is 503 with Retry-After', async () => {
  const url = new URL(app.databaseUrl);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const cutOff = await startTestApp({ databaseUrl: url.href });
  onTestFinished(cutOff.close);
  const key = await addKey();
  await proxy.close();
  const refused = await open(key, 'GET', cutOff);
  expect(refused).toEqual(refusal(503, 'The database cannot be reached'));
  expect(refused.headers['retry-after']).toBe('5');
  expect(cutOff.logLines.join('')).not.toContain(key);
});

test('an unexpected failure is answered with a masked 500, and logged without the key', async () => {
  const key = await addKey();
  vi.spyOn(app.prisma.accountKey, 'findMany').mockImplementationOnce(() => {
    throw new Error(`secret of /live/${key}`);
  });
  expect(await open(key)).toEqual(refusal(500, 'Internal server error'));
  expect(app.logLines.join('')).toContain('[key]');
  expect(app.logLines.join('')).not.toContain(key);
});

test.each(['POST', 'OPTIONS', 'TRACE'] as const)(
  '%s is refused with 405 and what is allowed',
  async (method) => {
    const refused = await open(await addKey(), method);
    expect(refused).toEqual(refusal(405, 'GET or HEAD'));
    expect(refused.headers.allow).toBe('GET, HEAD');
    expect(await app.prisma.tokenRecord.count()).toBe(0);
  },
);
