import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createKeySessions, type KeySessions } from '../../../server/keys/keySessions.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { ACCOUNT, CREATE_TOKEN, LOGOUT, provideTestApp, SESSION } from '../../support/testApp.ts';

const HERE = '203.0.113.9';

let now: Date;
const app = provideTestApp({ clock: () => now, tokenLimits: { maxAtOnce: 4, maxPerMinute: 3 } });
let keySessions: KeySessions;
let id: string;

beforeAll(() => {
  keySessions = createKeySessions(app.prisma, () => now);
});
beforeEach(async () => {
  now = new Date();
  await app.prisma.account.deleteMany();
  await app.prisma.tokenRecord.deleteMany();
  ({ id } = await app.addAccount(ACCOUNT));
});

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const createToken = (key: string) => app.graphql(CREATE_TOKEN, bearer(key));
const find = (key: string, address = HERE, warn = vi.fn()) =>
  keySessions.find('TOOL', key, { address, log: { warn, info: vi.fn() } });

test('a key acts as its account', async () => {
  const key = await app.addKey();
  const expiry = new Date(now.getTime() + HOUR_MS).toISOString();
  expect((await app.graphql(SESSION, bearer(key))).data).toEqual({
    session: { id, accountId: id, company: ACCOUNT.company, expiry },
  });
  expect((await createToken(key)).data).toMatchObject({ createToken: { company: ACCOUNT.company } });
  expect(await app.prisma.tokenRecord.findFirst()).toMatchObject({ client: 'TOOL', keyName: 'Emisora' });
});

test('a session names its key and the use before, to the minute', async () => {
  const key = await app.addKey();
  const ask = async () =>
    Object((await app.graphql('{ session { key { name expiry lastUsed } } }', bearer(key))).data?.session)
      .key;
  const first = now;
  const expiry = new Date(first.getTime() + HOUR_MS).toISOString();
  expect(await ask()).toEqual({ name: 'Emisora', expiry, lastUsed: null });
  now = new Date(first.getTime() + MINUTE_MS - 1);
  expect((await ask()).lastUsed).toBe(first.toISOString());
  now = new Date(first.getTime() + MINUTE_MS);
  const second = now;
  await ask();
  now = new Date(second.getTime() + 1);
  expect((await ask()).lastUsed).toBe(second.toISOString());
});

test('a use is recorded again after the clock was set back', async () => {
  const key = await app.addKey();
  const right = now;
  now = new Date(right.getTime() + HOUR_MS - 1);
  await createToken(key);
  now = right;
  await createToken(key);
  expect(await app.prisma.accountKey.findFirst()).toMatchObject({ lastUsedAt: right });
});

test('a key is valid until it expires', async () => {
  const key = await app.addKey();
  now = new Date(now.getTime() + HOUR_MS - 1);
  expect(await find(key)).not.toBeNull();
  now = new Date(now.getTime() + 1);
  expect(await find(key)).toBeNull();
});

test('logout refuses a key, which stays valid', async () => {
  const key = await app.addKey();
  const { errors } = await app.graphql(LOGOUT, bearer(key));
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  expect(await find(key)).not.toBeNull();
});

test('nothing but the whole key of a tool opens the API', async () => {
  const [key, playerKey] = [await app.addKey(), await app.addKey({ name: 'Códec', kind: 'PLAYER' })];
  for (const sent of [playerKey, playerKey.replace('live', 'tool'), key.slice(0, -1), key.toUpperCase()]) {
    expect([sent, await find(sent)]).toEqual([sent, null]);
  }
  const inCookie = await app.graphql(SESSION, { headers: { cookie: `audio_session=${key}` } });
  expect(inCookie.data).toEqual({ session: null });
});

test('a key beyond its share leaves the other keys theirs', async () => {
  const [one, two] = [await app.addKey(), await app.addKey({ name: 'Otra' })];
  expect((await createToken(one)).errors).toBeUndefined();
  expect((await createToken(one)).errors?.[0]?.message).toContain('Too many tokens of this key in a minute');
  expect((await createToken(two)).errors).toBeUndefined();
});

const networks = ['203.0.113.0/24', '2001:db8::/32'];

test.each([
  [HERE, true],
  ['::ffff:203.0.113.9', true],
  ['2001:db8:1::9', true],
  ['203.0.114.9', false],
])('a key bound to networks is valid from %s: %s', async (address, isValid) => {
  const key = await app.addKey({ networks });
  expect((await find(key, address)) !== null).toBe(isValid);
});

test('a key bound to networks is logged when sent from elsewhere', async () => {
  const warn = vi.fn();
  await find(await app.addKey({ networks }), '198.51.100.7', warn);
  expect(warn.mock.calls).toEqual([
    [{ account: id, key: 'Emisora', address: '198.51.100.7' }, 'a key was sent from outside its networks'],
  ]);
});

test('keys that end within 30 days are counted', async () => {
  const added = now.getTime();
  await app.addKey();
  const countAfter = (hours: number) => {
    now = new Date(added + hours * HOUR_MS);
    return keySessions.countEnding();
  };
  expect(await countAfter(1 - 30 * 24)).toBe(1);
  expect(await countAfter(-30 * 24)).toBe(0);
  expect(await countAfter(1)).toBe(0);
});

test.each<[string, number, { endsInDays?: number; disabled?: boolean }, number]>([
  ['that outlives its account counts until the account’s end', 300, { endsInDays: 10 }, 1],
  ['of an account that has ended does not count', 10, { endsInDays: -1 }, 0],
  ['of a disabled account does not count', 10, { disabled: true }, 0],
])('a key %s', async (_, keyDays, { endsInDays, disabled = false }, count) => {
  const today = now.getTime();
  now = new Date(today + keyDays * DAY_MS);
  await app.addKey();
  now = new Date(today);
  const validUntil = endsInDays === undefined ? null : new Date(today + endsInDays * DAY_MS);
  await app.prisma.account.update({ where: { id }, data: { disabled, validUntil } });
  expect(await keySessions.countEnding()).toBe(count);
});

test("a key's expiry is the end of its account if that comes first", async () => {
  const validUntil = new Date(now.getTime() + HOUR_MS / 2);
  await app.prisma.account.update({ where: { id }, data: { validUntil } });
  const session = await find(await app.addKey(), HERE);
  expect([session?.expiry, session?.key?.expiry]).toEqual([validUntil, validUntil]);
});
