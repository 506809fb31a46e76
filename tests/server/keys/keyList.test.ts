import { beforeEach, expect, test, vi } from 'vitest';
import type { Caller } from '../../../server/accounts/caller.ts';
import type { PrismaClient } from '../../../server/generated/prisma/client.ts';
import { createReadKeys, type ListedKey } from '../../../server/keys/keySessions.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { ACCOUNT, provideTestApp } from '../../support/testApp.ts';

const KEYS = '{ keys { name kind createdAt expiry lastUsed } }';

let now: Date;
const app = provideTestApp({ clock: () => now });
let accountId: string;

beforeEach(async () => {
  now = new Date();
  await app.prisma.account.deleteMany();
  accountId = (await app.addAccount(ACCOUNT)).id;
});

type Headers = Record<string, string>;

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const ask = (headers: Headers) => app.graphql(KEYS, { headers });
const keysSeenBy = async (headers: Headers) => (await ask(headers)).data?.keys;
const namesSeenBy = async (headers: Headers) =>
  ((await keysSeenBy(headers)) as ListedKey[] | undefined)?.map(({ name }) => name);
const fromNow = (ms: number) => new Date(now.getTime() + ms);

test('a session sees the keys of its account without their text', async () => {
  const player = await app.addKey({ name: 'Códec', kind: 'PLAYER' });
  const tool = await app.addKey({ name: 'Grabador' });
  const dos = await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
  await app.addKey({ accountId: dos.id, name: 'Ajena' });
  const lastUsed = fromNow(-MINUTE_MS);
  await app.prisma.accountKey.updateMany({ where: { name: 'Códec' }, data: { lastUsedAt: lastUsed } });
  const { data, text } = await ask(await app.bearer());
  const expiry = fromNow(HOUR_MS).toISOString();
  const createdAt = expect.any(String);
  expect(data?.keys).toEqual([
    { name: 'Códec', kind: 'PLAYER', createdAt, expiry, lastUsed: lastUsed.toISOString() },
    { name: 'Grabador', kind: 'TOOL', createdAt, expiry, lastUsed: null },
  ]);
  for (const key of [player, tool]) expect(text).not.toContain(key);
});

test('an answer brings the time of the clock by which ages count', async () => {
  const { data } = await app.graphql('{ serverTime keys { lastUsed } }', { headers: await app.bearer() });
  expect(data).toEqual({ serverTime: now.toISOString(), keys: [] });
});

test('a key sees itself alone', async () => {
  const key = await app.addKey({ name: 'Grabador' });
  await app.addKey({ name: 'Otra' });
  expect(await namesSeenBy(bearer(key))).toEqual(['Grabador']);
});

test('reading the keys is no use of a key', async () => {
  const headers = bearer(await app.addKey());
  for (let reading = 0; reading < 2; reading += 1) {
    expect(await keysSeenBy(headers)).toMatchObject([{ lastUsed: null }]);
    now = fromNow(MINUTE_MS);
  }
  const used = now.toISOString();
  const { data } = await app.graphql('{ session { id } keys { lastUsed } }', { headers });
  expect(data?.keys).toEqual([{ lastUsed: null }]);
  now = fromNow(MINUTE_MS);
  expect(await keysSeenBy(headers)).toMatchObject([{ lastUsed: used }]);
});

test('a key is listed until it opens nothing', async () => {
  const headers = await app.bearer();
  await app.addKey({ name: 'Códec', kind: 'PLAYER' });
  now = fromNow(HOUR_MS - 1);
  expect(await namesSeenBy(headers)).toEqual(['Códec']);
  now = fromNow(1);
  expect(await namesSeenBy(headers)).toEqual([]);
});

test('a listed key expires with its account if that ends first', async () => {
  const validUntil = fromNow(MINUTE_MS);
  await app.prisma.account.update({ where: { id: accountId }, data: { validUntil } });
  await app.addKey();
  expect(await keysSeenBy(await app.bearer())).toMatchObject([{ expiry: validUntil.toISOString() }]);
});

test('strangers and keys of players see no keys', async () => {
  const player = await app.addKey({ name: 'Códec', kind: 'PLAYER' });
  for (const headers of [{}, bearer(player)]) {
    expect((await ask(headers)).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  }
});

test('reading the keys does not prolong a browser’s session', async () => {
  const { cookie } = await app.signIn();
  const uses = () => app.prisma.session.findMany({ select: { lastUsedAt: true }, orderBy: { id: 'asc' } });
  const before = await uses();
  now = fromNow(2 * HOUR_MS);
  await app.addKey();
  expect(await namesSeenBy({ cookie })).toEqual(['Emisora']);
  expect(await uses()).toEqual(before);
});

test('an account’s tools read four lists at once, its browsers four others', async () => {
  const query = vi.fn(() => new Promise<never>(() => {}));
  const readKeys = createReadKeys({ accountKey: { findMany: query } } as unknown as PrismaClient, () => now);
  const read = (ofAccount: string, client: 'TOOL' | 'BROWSER' = 'TOOL') =>
    readKeys({ accountId: ofAccount, key: null } as Caller, client);
  for (let list = 0; list < 4; list += 1) void read('uno');
  await expect(read('uno')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  void read('uno', 'BROWSER');
  void read('dos');
  expect(query).toHaveBeenCalledTimes(6);
});
