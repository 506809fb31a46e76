import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DATABASE_CONNECT_TIMEOUT_MS, DATABASE_QUERY_TIMEOUT_MS } from '../../../server/database/database.ts';
import type { Prisma } from '../../../server/generated/prisma/client.ts';
import { ProviderFailure, ProviderNotAsked } from '../../../server/streamTokens/providerErrors.ts';
import { PROVIDER_TIMEOUT_MS } from '../../../server/streamTokens/streamProvider.ts';
import { LONGEST_CREATION_MS } from '../../../shared/creationTime.ts';
import { ACCOUNT, CREATE_TOKEN, provideTestApp, STREAM_BASE_URL } from '../../support/testApp.ts';

const TOKEN = 'c2VydmVyX3RpbWU9Ny80LzIwMjUgMzowNTowOSBQTSZoYXNoX3ZhbHVlPStB+/8=';
const NOW = new Date('2026-11-20T18:30:00.123Z');
const EXPIRY = new Date(NOW.getTime() + 1_200_000);
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const fetchToken = vi.fn<() => Promise<string>>();
const app = provideTestApp({
  trustProxy: 1,
  clock: () => NOW,
  provider: { fetchToken, close: async () => {} },
  tokenLimits: { maxAtOnce: 100, maxPerMinute: 100 },
});
let accountId: string;
let headers: { authorization: string };
let cookie: string;

beforeAll(async () => {
  accountId = (await app.addAccount(ACCOUNT)).id;
});
beforeEach(async () => {
  const session = await app.signIn();
  headers = { authorization: `Bearer ${session.jwt}` };
  cookie = session.cookie;
  fetchToken.mockReset().mockResolvedValue(TOKEN);
  app.logLines.length = 0;
  await app.prisma.tokenRecord.deleteMany();
  await app.prisma.accountKey.deleteMany();
});

const records = () => app.prisma.tokenRecord.findMany({ orderBy: { accountId: 'desc' } });
const change = (data: Prisma.AccountUpdateManyMutationInput) => app.prisma.account.updateMany({ data });
const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());

test('a token is answered untouched', async () => {
  const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    createToken: {
      token: TOKEN,
      streamUrl: STREAM_BASE_URL + TOKEN,
      company: 'Radio Uno',
      expiry: EXPIRY.toISOString(),
      lifetimeSeconds: 1200,
    },
  });
});

test('a token is recorded under its id', async () => {
  const { data } = await app.graphql('mutation { createToken { id } }', {
    headers: { ...headers, 'x-forwarded-for': '10.9.9.9, 203.0.113.9' },
  });
  const [record, ...others] = await records();
  expect(others).toEqual([]);
  expect(data).toEqual({ createToken: { id: record?.id } });
  expect(record).toEqual({
    id: expect.stringMatching(UUID_V7),
    accountId,
    createdAt: NOW,
    expiresAt: EXPIRY,
    tokenHash: sha256(TOKEN),
    outcome: 'ISSUED',
    address: '203.0.113.9',
    client: 'TOOL',
    keyName: null,
  });
  expect(Number.parseInt(record?.id.replace('-', '').slice(0, 12) ?? '', 16)).toBe(NOW.getTime());
});

test('a browser with an unreadable address is recorded without one', async () => {
  await app.graphql(CREATE_TOKEN, { headers: { cookie, 'x-forwarded-for': "unknown'; DROP TABLE x" } });
  expect(await records()).toMatchObject([{ client: 'BROWSER', address: null }]);
});

test.each<[string, 'jwt' | 'key', () => Promise<unknown>]>([
  ['the session was ended', 'jwt', () => app.prisma.session.deleteMany()],
  ['the account was disabled', 'jwt', () => change({ disabled: true })],
  ['the account has ended', 'jwt', () => change({ validUntil: new Date(0) })],
  ['the password was changed', 'jwt', () => change({ credentialsVersion: { increment: 1 } })],
  ['the key was revoked', 'key', () => app.prisma.accountKey.deleteMany()],
  ["the key's account was disabled", 'key', () => change({ disabled: true })],
  ["the key's account has ended", 'key', () => change({ validUntil: new Date(0) })],
])('a token is recorded but not handed out once %s', async (_what, credential, end) => {
  onTestFinished(async () => void (await change({ disabled: false, validUntil: null })));
  if (credential === 'key') headers = { authorization: `Bearer ${await app.addKey()}` };
  fetchToken.mockImplementation(async () => {
    await end();
    return TOKEN;
  });
  const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
  const reason = credential === 'key' ? 'KEY_REFUSED' : 'SESSION_ENDED';
  expect([data, errors?.[0]?.extensions]).toEqual([null, { code: 'UNAUTHENTICATED', reason }]);
  expect(await records()).toMatchObject([{ outcome: 'ISSUED', tokenHash: sha256(TOKEN) }]);
});

test('an unusable answer of the provider is recorded', async () => {
  const code = 'PROVIDER_BAD_ANSWER';
  fetchToken.mockRejectedValue(new ProviderFailure(code, 'answer', 'no link'));
  const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
  expect([data, errors?.[0]?.extensions.code]).toEqual([null, code]);
  expect(await records()).toMatchObject([{ accountId, outcome: code, expiresAt: null, tokenHash: null }]);
});

test.each([
  ['was not asked', new ProviderNotAsked('left_alone', 'it is absent'), 'PROVIDER_UNAVAILABLE'],
  ['caused a bug', new TypeError('boom'), 'INTERNAL_SERVER_ERROR'],
])('a request for which the provider %s is not recorded', async (_what, error, code) => {
  fetchToken.mockRejectedValue(error);
  const { errors } = await app.graphql(CREATE_TOKEN, { headers });
  expect(errors?.[0]?.extensions.code).toBe(code);
  expect(await records()).toEqual([]);
});

test('a token that cannot be recorded is not handed out', async () => {
  await app.prisma.$executeRaw`ALTER TABLE token_records RENAME TO elsewhere`;
  onTestFinished(
    async () => void (await app.prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO token_records`),
  );
  const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
  expect([data, errors?.[0]?.extensions.code]).toEqual([null, 'DATABASE_UNAVAILABLE']);
  expect(app.logLines.join('')).toContain('42P01');
});

test('no creation takes longer than the page waits for it', () => {
  // To find the session and its account, to note its use, and to record the token.
  const queries = 4;
  const longest = PROVIDER_TIMEOUT_MS + queries * (DATABASE_CONNECT_TIMEOUT_MS + DATABASE_QUERY_TIMEOUT_MS);
  expect(longest).toBeLessThanOrEqual(LONGEST_CREATION_MS);
});
