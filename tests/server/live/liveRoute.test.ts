import { request } from 'undici';
import { beforeEach, expect, test, vi } from 'vitest';
import type { KeyKind } from '../../../server/generated/prisma/client.ts';
import { newKey } from '../../../server/keys/key.ts';
import { ProviderAbsent } from '../../../server/streamTokens/providerErrors.ts';
import { ACCOUNT, provideTestApp, STREAM_BASE_URL } from '../../support/testApp.ts';

/** With characters that a redirect must not re-encode. */
const TOKEN = 'c2VydmVyX3+/%2BaGE=';

const fetchToken = vi.fn(async () => TOKEN);
const app = provideTestApp({
  provider: { fetchToken, close: async () => {} },
  tokenLimits: { maxAtOnce: 4, maxPerMinute: 3 },
});
let accountId: string;
beforeEach(async () => {
  app.logLines.length = 0;
  await app.prisma.account.deleteMany();
  await app.prisma.tokenRecord.deleteMany();
  ({ id: accountId } = await app.addAccount(ACCOUNT));
});

const addKey = (name = 'Códec', kind: KeyKind = 'PLAYER') => app.addKey({ accountId, name, kind });

/** Opens an address without following where it leads; resolves once the request is in the log. */
async function open(key: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', sent: Record<string, string> = {}) {
  const {
    statusCode: status,
    headers,
    body,
  } = await request(`${app.url}/live/${key}`, { method, headers: sent });
  const text = await body.text();
  await app.logged(headers['x-request-id']);
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

test.each(['GET', 'HEAD'] as const)('%s leads to the stream with a new token', async (method) => {
  const { status, headers, text } = await open(await addKey(), method);
  expect({ status, location: headers.location }).toEqual({ status: 302, location: STREAM_BASE_URL + TOKEN });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  // Pages of other sites may embed the address.
  expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(text).not.toContain(TOKEN);
  expect(await app.prisma.tokenRecord.findMany()).toMatchObject([
    { accountId, outcome: 'ISSUED', client: 'PLAYER', keyName: 'Códec', address: '127.0.0.1' },
  ]);
  expect(app.logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ route: '/live/*', status: 302, account: accountId, key: 'Códec' }),
  );
});

test('an opened address is a use of its key', async () => {
  const key = await addKey();
  const lastUsed = async () => (await app.prisma.accountKey.findFirstOrThrow()).lastUsedAt;
  expect(await lastUsed()).toBeNull();
  await open(key);
  expect(await lastUsed()).not.toBeNull();
});

test.each<[string, (key: string) => string | Promise<string>, string]>([
  ['an unknown key', () => newKey('PLAYER'), 'ask the broadcaster for another'],
  ['an API key', () => addKey('Emisora', 'TOOL'), "a tool's key"],
  ['no key', () => '', 'begins with aop_live_'],
  ['a key that is one letter too short', (key) => key.slice(0, -1), 'has 42 characters after aop_live_'],
  ['a key that is one letter too long', (key) => `${key}x`, 'has 44 characters after aop_live_'],
])('%s is refused with 403 and why', async (_what, sent, said) => {
  expect(await open(await sent(await addKey()))).toEqual(refusal(403, said));
  expect(await app.prisma.tokenRecord.count()).toBe(0);
});

test('what follows a key in the address counts for nothing', async () => {
  const key = await addKey();
  const { headers } = await open(key);
  const encoded = key.replaceAll('_', '%5F');
  for (const address of [
    ...['/', ';', '/;stream.mp3', '.mp3', '%0D', '%20', ',', '.', '%', '%zz', '%C3%B1', '/a/b', '?a=b'].map(
      (tail) => key + tail,
    ),
    ...[encoded, `${encoded};`],
  ]) {
    const opened = await open(address);
    expect([address, opened.status, opened.headers.location]).toEqual([address, 302, headers.location]);
  }
  // One token for all: they are one address.
  expect(await app.prisma.tokenRecord.count()).toBe(1);
  expect(app.logLines.join('')).not.toContain('stream.mp3');
});

test('repeated slashes count as one in the address of a player alone', async () => {
  const key = await addKey();
  const statusOf = async (path: string) => (await request(app.url + path)).statusCode;
  for (const path of [`//live/${key}`, `/live//${key}`, `///live///${key}//`]) {
    expect([path, await statusOf(path)]).toEqual([path, 302]);
  }
  for (const path of ['//graphql', '//healthz', `/a//live/${key}`, `//lives/${key}`]) {
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  }
});

test.each([
  ['sec-purpose', 'prefetch'],
  ['sec-purpose', 'prefetch;prerender'],
  ['purpose', 'Prefetch'],
  ['x-purpose', 'preview'],
  ['x-moz', 'prefetch'],
  ['user-agent', 'WhatsApp/2.23.20.0'],
  ['user-agent', 'TelegramBot (like TwitterBot)'],
  ['user-agent', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  [
    'user-agent',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  ],
  ['user-agent', 'facebookexternalhit/1.1 Facebot Twitterbot/1.0'],
  ['user-agent', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
])('a request ahead of any listener gets no token, by %s: %s', async (name, value) => {
  const key = await addKey();
  for (const method of ['GET', 'HEAD'] as const) {
    const { status, text, headers } = await open(key, method, { [name]: value });
    expect([method, status, headers['cache-control']]).toEqual([method, 403, 'no-store']);
    expect(text).toMatch(method === 'GET' ? /^A preview or prefetch gets no token.*\n$/ : /^$/);
  }
  expect(await app.prisma.tokenRecord.count()).toBe(0);
  expect((await app.prisma.accountKey.findFirstOrThrow()).lastUsedAt).toBeNull();
  expect(await open(key, 'GET', { 'user-agent': 'Lavf/59.27.100', 'sec-fetch-dest': 'audio' })).toMatchObject(
    {
      status: 302,
    },
  );
});

test('a revoked key is refused despite its recent token', async () => {
  const key = await addKey();
  expect(await open(key)).toMatchObject({ status: 302 });
  await app.prisma.accountKey.deleteMany();
  expect(await open(key)).toEqual(refusal(403, 'ask the broadcaster for another'));
});

test('a key revoked while the provider answers is refused', async () => {
  const key = await addKey();
  fetchToken.mockImplementationOnce(async () => {
    await app.prisma.accountKey.deleteMany();
    return TOKEN;
  });
  expect(await open(key)).toEqual(refusal(403, 'ask the broadcaster for another'));
  expect(await app.prisma.tokenRecord.findMany()).toMatchObject([{ outcome: 'ISSUED' }]);
});

test('beyond the players’ limits the answer is 429 with Retry-After', async () => {
  for (const name of ['uno', 'dos', 'tres']) await open(await addKey(name));
  const refused = await open(await addKey());
  expect(refused).toEqual(refusal(429, 'Too many tokens in a minute'));
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
});

test('with the provider absent the answer is 503 with Retry-After', async () => {
  fetchToken.mockRejectedValueOnce(new ProviderAbsent('connection', 'test'));
  const refused = await open(await addKey());
  expect(refused).toEqual(refusal(503, 'The media provider'));
  expect(refused.headers['retry-after']).toBe('5');
  expect(await app.prisma.tokenRecord.findMany()).toMatchObject([{ outcome: 'PROVIDER_UNAVAILABLE' }]);
  expect(app.logLines.join('')).toContain('"codes":["PROVIDER_UNAVAILABLE"]');
});

test('an unexpected failure shows neither cause nor key', async () => {
  const key = await addKey();
  vi.spyOn(app.prisma.accountKey, 'findMany').mockImplementationOnce(() => {
    throw new Error(`secret of /live/${key}`);
  });
  expect(await open(key)).toEqual(refusal(500, 'Internal server error'));
  expect(app.logLines.join('')).toContain('[key]');
  expect(app.logLines.join('')).not.toContain(key);
});

test('another method than GET and HEAD is refused', async () => {
  const refused = await open(await addKey(), 'POST');
  expect(refused).toEqual(refusal(405, 'GET or HEAD'));
  expect(refused.headers.allow).toBe('GET, HEAD');
  expect(await app.prisma.tokenRecord.count()).toBe(0);
});
