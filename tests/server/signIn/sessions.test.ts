import pg from 'pg';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createSessions, type Sessions } from '../../../server/signIn/sessions.ts';
import { signingKeys } from '../../../server/signIn/signedJwt.ts';
import { UNASKED_HEADER } from '../../../shared/unaskedHeader.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  LOGOUT,
  provideTestApp,
  SESSION,
  STREAM,
  STREAM_BASE_URL,
} from '../../support/testApp.ts';
import { claimsOf, headerOf, mint } from './forgeries.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ANOTHER = { username: 'radio@dos.example', password: ACCOUNT.password, company: 'Radio Dos' };

let now: Date;
const passTime = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const app = provideTestApp({ clock: () => now });
let sessions: Sessions;

beforeAll(() => {
  sessions = createSessions(app.prisma, signingKeys(app.jwtSecret), () => now);
});
beforeEach(async () => {
  now = new Date();
  await app.prisma.account.deleteMany();
  await app.prisma.tokenRecord.deleteMany();
  await app.addAccount(ACCOUNT);
  await app.addAccount(ANOTHER);
});

const sessionBy = async (headers: Record<string, string>) =>
  (await app.graphql(SESSION, { headers })).data?.session;
const loginWith = (headers: Record<string, string>, password = ACCOUNT.password) =>
  app.graphql(LOGIN, { variables: { username: ACCOUNT.username, password }, headers });

test('the session is the one that was signed in', async () => {
  const { jwt, cookie, ...session } = await app.signIn();
  expect(await sessionBy({ authorization: `Bearer ${jwt}` })).toEqual(session);
  expect(await sessionBy({ cookie })).toMatchObject({ id: session.id, company: session.company });
  expect(await sessionBy({})).toBeNull();
});

test('a session names the address of its request', async () => {
  const { data } = await app.graphql('{ session { address } }', { headers: await app.bearer() });
  expect(data).toEqual({ session: { address: '127.0.0.1' } });
});

test('a tool’s session ends after 12 hours', async () => {
  const { jwt } = await app.signIn();
  passTime(12 * HOUR_MS - 2_000);
  expect(await sessions.find(jwt)).not.toBeNull();
  passTime(2_000);
  expect(await sessions.find(jwt)).toBeNull();
});

const createToken = async (headers: Record<string, string>) =>
  (await app.graphql(CREATE_TOKEN, { headers })).errors?.[0]?.extensions.reason ?? 'created';

test('a browser’s session that is used ends 30 days after the sign-in', async () => {
  const { cookie } = await app.signIn();
  for (let day = 1; day < 30; day += 1) {
    passTime(DAY_MS);
    expect(await createToken({ cookie })).toBe('created');
  }
  passTime(DAY_MS);
  expect(await createToken({ cookie })).toBe('SESSION_ENDED');
});

test('a browser’s session ends after 7 days of requests that the page makes by itself', async () => {
  const { cookie } = await app.signIn();
  for (let day = 1; day < 7; day += 1) {
    passTime(DAY_MS);
    expect(await sessionBy({ cookie })).not.toBeNull();
    expect(await createToken({ cookie, [UNASKED_HEADER]: '1' })).toBe('created');
  }
  passTime(DAY_MS);
  expect(await sessionBy({ cookie })).toBeNull();
});

test('a browser’s session notes its use once an hour', async () => {
  const { cookie } = await app.signIn();
  const noted = async () =>
    (await app.prisma.session.findFirstOrThrow({ where: { lastUsedAt: { not: null } } })).lastUsedAt;
  const first = await noted();
  passTime(HOUR_MS - 2_000);
  await createToken({ cookie });
  expect(await noted()).toEqual(first);
  passTime(2_000);
  await createToken({ cookie });
  expect(await noted()).toEqual(now);
});

test('an account has 50 sessions, and another ends the oldest', async () => {
  const account = await app.prisma.account.findFirstOrThrow();
  const started = [];
  for (let index = 0; index <= 50; index += 1) {
    started.push(await sessions.start(account));
    passTime(1_000);
  }
  const found = [];
  for (const { jwt, cookie } of started.slice(0, 2)) {
    found.push(await sessions.find(jwt), await sessions.find(cookie.jwt));
  }
  expect(found.map((session) => session !== null)).toEqual([false, false, true, true]);
});

test.each<[string, (other: Record<string, unknown>, own: Record<string, unknown>) => object]>([
  ['another session', ({ jti }) => ({ jti })],
  ['an earlier session', (_other, { iat }) => ({ iat: Number(iat) - 1 })],
  ['a longer session', (_other, { exp }) => ({ exp: Number(exp) + 1 })],
])('a JWT signed with our secret for %s is refused', async (_what, forge) => {
  const { jwt } = await app.signIn();
  const { jwt: another } = await app.signIn(ANOTHER.username);
  const own = claimsOf(jwt);
  const forged = mint(headerOf(jwt), { ...own, ...forge(claimsOf(another), own) }, app.jwtSecret);
  expect(await sessions.find(forged)).toBeNull();
  expect(await sessions.find(jwt)).not.toBeNull();
});

test('signing in anew ends the session of the browser', async () => {
  const { cookie } = await app.signIn();
  await loginWith({ cookie }, 'otra-cosa');
  expect(await sessionBy({ cookie })).not.toBeNull();
  await loginWith({ cookie });
  expect(await sessionBy({ cookie })).toBeNull();
});

test('signing out ends this session alone', async () => {
  const [one, another] = [await app.signIn(), await app.signIn()];
  const { data, headers } = await app.graphql(LOGOUT, { headers: { cookie: one.cookie } });
  expect(data).toEqual({ logout: true });
  // A newer sign-in may have set the cookie.
  expect(headers.getSetCookie()).toEqual([]);
  expect(await sessions.find(one.jwt)).toBeNull();
  expect(await sessions.find(another.jwt)).not.toBeNull();
});

test.each([
  ['new credentials', { credentialsVersion: 1 }],
  ['disabling the account', { disabled: true }],
])('%s end the account’s sessions alone', async (_what, data) => {
  const { jwt } = await app.signIn();
  const { jwt: another } = await app.signIn(ANOTHER.username);
  await app.prisma.account.update({ where: { username: ACCOUNT.username }, data });
  expect(await sessions.find(jwt)).toBeNull();
  expect(await sessions.find(another)).not.toBeNull();
});

test('a request that names another account than the session’s is refused', async () => {
  const headers = { cookie: (await app.signIn()).cookie, 'x-account-id': 'radio%20dos' };
  for (const operation of [SESSION, STREAM, CREATE_TOKEN]) {
    const { errors } = await app.graphql(operation, { headers });
    expect(errors?.[0]?.extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'OTHER_ACCOUNT' });
  }
  expect(await app.prisma.tokenRecord.count()).toBe(0);
});

test('a sign-out that names another account ends no session', async () => {
  const { cookie, jwt } = await app.signIn();
  const headers = { cookie, 'x-account-id': 'radio%20dos' };
  expect((await app.graphql(LOGOUT, { headers })).data).toEqual({ logout: true });
  expect(await sessions.find(jwt)).not.toBeNull();
});

test('sessions looked up together cost two queries', async () => {
  const [{ jwt: uno }, { jwt: dos }] = [await app.signIn(), await app.signIn(ANOTHER.username)];
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const found = await Promise.all([uno, dos, uno].map((jwt) => sessions.find(jwt)));
  expect(found.map((session) => session?.company)).toEqual(['Radio Uno', 'Radio Dos', 'Radio Uno']);
  expect(query).toHaveBeenCalledTimes(2);
});

test('stream answers what a page needs to play', async () => {
  const { data } = await app.graphql(STREAM, { headers: await app.bearer() });
  expect(data).toEqual({ stream: { baseUrl: STREAM_BASE_URL, lifetimeSeconds: 1200 } });
});
