import pg from 'pg';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { newRecordId } from '../../../server/database/recordId.ts';
import { createSessions, type Sessions, type StartedSession } from '../../../server/signIn/sessions.ts';
import { jwtSecrets } from '../../../server/signIn/signedJwt.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { UNASKED_HEADER } from '../../../shared/headers.ts';
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

const ANOTHER = { username: 'radio@dos.example', password: ACCOUNT.password, company: 'Radio Dos' };

let now: Date;
const passTime = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const app = provideTestApp({ clock: () => now });
let sessions: Sessions;

beforeAll(() => {
  sessions = createSessions(app.prisma, jwtSecrets(app.jwtSecret), () => now);
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

const TOKENS = '{ tokens { nodes { id } } }';

const createToken = async (headers: Record<string, string>) => {
  const { errors } = await app.graphql(CREATE_TOKEN, { headers });
  const { code, reason } = errors?.[0]?.extensions ?? {};
  return reason ?? code ?? 'created';
};

test('a browser’s session that is used ends 30 days after the sign-in', async () => {
  const { cookie } = await app.signIn();
  for (const days of [6, 6, 6, 6, 5]) {
    passTime(days * DAY_MS);
    expect(await createToken({ cookie })).toBe('created');
  }
  passTime(DAY_MS);
  expect(await createToken({ cookie })).toBe('SESSION_ENDED');
});

test('a browser’s session ends after 14 days of reading and of requests that the page makes by itself', async () => {
  const { cookie } = await app.signIn();
  passTime(13 * DAY_MS);
  expect(await sessionBy({ cookie })).not.toBeNull();
  expect((await app.graphql(TOKENS, { headers: { cookie } })).errors).toBeUndefined();
  expect(await createToken({ cookie, [UNASKED_HEADER]: '1' })).toBe('created');
  passTime(DAY_MS + HOUR_MS);
  expect(await sessionBy({ cookie })).toBeNull();
});

test('a use that is not recorded still keeps a browser’s session for 14 days', async () => {
  const { cookie } = await app.signIn();
  await createToken({ cookie });
  passTime(HOUR_MS - 2_000);
  await createToken({ cookie });
  passTime(14 * DAY_MS);
  expect(await sessionBy({ cookie })).not.toBeNull();
});

test('a browser’s session records its first use at once, later ones once an hour', async () => {
  const { cookie } = await app.signIn();
  const recorded = async () => (await app.prisma.session.findFirstOrThrow()).lastUsedAt;
  const signedInAt = await recorded();
  await createToken({ cookie });
  const first = await recorded();
  expect(first).not.toEqual(signedInAt);
  passTime(HOUR_MS - 2_000);
  await createToken({ cookie });
  expect(await recorded()).toEqual(first);
  passTime(2_000);
  await createToken({ cookie });
  expect(await recorded()).toEqual(now);
});

test('a request is answered although the use of its session cannot be recorded', async () => {
  const { cookie } = await app.signIn();
  await app.prisma.$executeRawUnsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '25006'; END $$`);
  await app.prisma.$executeRaw`CREATE TRIGGER refuse BEFORE UPDATE ON sessions EXECUTE FUNCTION refuse()`;
  onTestFinished(async () => {
    await app.prisma.$executeRaw`DROP FUNCTION refuse CASCADE`;
  });
  passTime(HOUR_MS);
  expect(await createToken({ cookie })).toBe('created');
  expect(await sessionBy({ cookie })).not.toBeNull();
});

const accountOf = () => app.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });

/** Signs in `count` times, a second apart, without using the sessions. */
async function startSessions(count: number) {
  const account = await accountOf();
  const started: StartedSession[] = [];
  for (let index = 0; index < count; index += 1) {
    started.push(await sessions.start(account));
    passTime(1_000);
  }
  return started as [StartedSession, StartedSession];
}

/** Signs in twice and adds rows of later sign-ins, so that the account has `count` more sessions, none of them used. */
async function fillSessions(count = 50) {
  const { id: accountId } = await accountOf();
  const started = await startSessions(2);
  const times = { createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + DAY_MS) };
  const rows = Array.from({ length: count - 2 }, () => ({ id: newRecordId(now), accountId, ...times }));
  await app.prisma.session.createMany({ data: rows });
  passTime(1_000);
  return started;
}

const use = ({ cookie }: StartedSession) => createToken({ cookie: `audio_session=${cookie.jwt}` });

const open = async ({ jwt, cookie }: StartedSession) => {
  const found = [await sessions.find(jwt), await sessions.find(cookie.jwt)];
  return found.map((session) => session !== null);
};

const rowOf = ({ jwt }: StartedSession) => ({ where: { id: String(claimsOf(jwt).jti) } });

test('an account has 50 sessions, and another ends the oldest of those never used', async () => {
  const [used] = await startSessions(1);
  await use(used);
  passTime(1_000);
  const [oldest, second] = await fillSessions(49);
  await startSessions(1);
  expect([await open(used), await open(oldest), await open(second)]).toEqual([
    [true, true],
    [false, false],
    [true, true],
  ]);
  expect(await app.prisma.session.count()).toBe(50);
});

test.each<[string, (headers: Record<string, string>) => Promise<unknown>]>([
  ['only waits', (headers) => sessionBy(headers)],
  ['creates a token unasked', (headers) => createToken({ ...headers, [UNASKED_HEADER]: '1' })],
  ['shows another account', (headers) => sessionBy({ ...headers, 'x-account-id': 'radio%20dos' })],
])('a browser that %s outlives a tool that never signs out', async (_what, ask) => {
  const [oldest, second] = await fillSessions();
  const { lastUsedAt } = await app.prisma.session.findUniqueOrThrow(rowOf(oldest));
  await ask({ cookie: `audio_session=${oldest.cookie.jwt}` });
  await startSessions(1);
  expect([await open(oldest), await open(second)]).toEqual([
    [true, true],
    [false, false],
  ]);
  expect(await app.prisma.session.findUnique(rowOf(oldest))).toMatchObject({ lastUsedAt });
});

test('a browser writes to its session once, however often it reads', async () => {
  const { cookie } = await app.signIn();
  await sessionBy({ cookie });
  const updated = vi.spyOn(app.prisma.session, 'updateMany');
  onTestFinished(() => updated.mockRestore());
  await sessionBy({ cookie });
  expect(updated).not.toHaveBeenCalled();
});

test('of browsers in use the one unused longest is signed out', async () => {
  const [first, second] = await fillSessions();
  await app.prisma.$executeRaw`UPDATE sessions SET last_used_at = created_at + interval '1 ms'`;
  passTime(HOUR_MS);
  await use(first);
  await startSessions(1);
  expect([await open(first), await open(second)]).toEqual([
    [true, true],
    [false, false],
  ]);
});

test.each([
  ['unused for 14 days', () => ({ lastUsedAt: new Date(now.getTime() - 14 * DAY_MS - HOUR_MS) })],
  ['past its end', () => ({ expiresAt: now })],
  ['of an earlier password', () => ({ credentialsVersion: -1 })],
])('a session %s goes before one that was never used', async (_what, changes) => {
  const [unused, ended] = await fillSessions();
  await use(ended);
  await app.prisma.session.update({ ...rowOf(ended), data: changes() });
  await startSessions(1);
  expect(await open(unused)).toEqual([true, true]);
  expect(await app.prisma.session.count(rowOf(ended))).toBe(0);
});

test('sign-ins within one second are told apart', async () => {
  const account = await accountOf();
  const started = await Promise.all(Array.from({ length: 50 }, () => sessions.start(account)));
  await use(started[0] as StartedSession);
  // Sign-ins of one millisecond have no order.
  passTime(1);
  await startSessions(2);
  const found = await Promise.all(started.map(open));
  expect(found[0]).toEqual([true, true]);
  expect(found.filter(([tool, cookie]) => tool && cookie)).toHaveLength(48);
  expect(found.filter(([tool, cookie]) => !tool && !cookie)).toHaveLength(2);
});

// The claim of the JWT decides, not the way in which it is sent.
test.each<[string, (jwt: string) => Record<string, string>]>([
  ['a header', (jwt) => ({ authorization: `Bearer ${jwt}` })],
  ['a cookie', (jwt) => ({ cookie: `audio_session=${jwt}` })],
])('a token that a tool creates by %s does not count as use of its session', async (_how, headers) => {
  const { jwt } = await app.signIn();
  const before = await app.prisma.session.findFirstOrThrow();
  passTime(HOUR_MS);
  expect(await createToken(headers(jwt))).toBe('created');
  expect(await app.prisma.session.findFirstOrThrow()).toEqual(before);
});

test('a sign-in at the limit that replaces a session ends no other one', async () => {
  const [first, second] = await fillSessions();
  const account = await accountOf();
  await sessions.start(account, second.jwt);
  expect([await open(first), await open(second)]).toEqual([
    [true, true],
    [false, false],
  ]);
});

test('a sign-out with the expired JWT of a tool ends the browser’s half too', async () => {
  const { jwt, cookie } = await app.signIn();
  passTime(12 * HOUR_MS);
  await app.graphql(LOGOUT, { headers: { authorization: `Bearer ${jwt}` } });
  expect(await sessionBy({ cookie })).toBeNull();
});

test('a sign-in with the expired JWT of a tool ends the browser’s half too', async () => {
  const { jwt, cookie } = await app.signIn();
  passTime(12 * HOUR_MS);
  await loginWith({ authorization: `Bearer ${jwt}` });
  expect(await sessionBy({ cookie })).toBeNull();
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
  expect((await app.graphql(LOGOUT, { headers })).data).toEqual({ logout: false });
  expect(await sessions.find(jwt)).not.toBeNull();
});

test('a sign-out that names a session ends it, and no newer one', async () => {
  const { cookie } = await app.signIn();
  const { headers } = await app.graphql(SESSION, { headers: { cookie } });
  const named = { 'x-session-id': headers.get('x-session-id') ?? '' };
  const { cookie: newer } = await app.signIn();
  expect((await app.graphql(LOGOUT, { headers: { cookie: newer, ...named } })).data).toEqual({
    logout: false,
  });
  expect(await sessionBy({ cookie: newer })).not.toBeNull();
  expect((await app.graphql(LOGOUT, { headers: { cookie, ...named } })).data).toEqual({ logout: true });
  expect(await sessionBy({ cookie })).toBeNull();
});

test('sessions looked up together cost as many queries as one', async () => {
  const [{ jwt: uno }, { jwt: dos }] = [await app.signIn(), await app.signIn(ANOTHER.username)];
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const found = await Promise.all([uno, dos, uno].map((jwt) => sessions.find(jwt)));
  expect(found.map((session) => session?.company)).toEqual(['Radio Uno', 'Radio Dos', 'Radio Uno']);
  // One for the sessions, one for their accounts.
  expect(query).toHaveBeenCalledTimes(2);
});

test('stream answers what a page needs to play', async () => {
  const { data } = await app.graphql(STREAM, { headers: await app.bearer() });
  expect(data).toEqual({ stream: { baseUrl: STREAM_BASE_URL, lifetimeSeconds: 1200 } });
});
