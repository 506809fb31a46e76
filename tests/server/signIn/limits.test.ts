import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import jwt from 'jsonwebtoken';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { setDisabled, setPassword } from '../../../server/cli/accountStore.ts';
import { countersOfNetwork, createAttemptCounts } from '../../../server/signIn/attempts.ts';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { signingKeys } from '../../../server/signIn/signedJwt.ts';
import { SIGN_IN_LIMITS } from '../../../server/signIn/signInLimits.ts';
import { query } from '../../support/query.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  type GraphqlAnswer,
  LOGIN,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { OPERATOR, runAccountHere } from '../cli/accountProgram.ts';

// Hashing takes its time and is not the subject here.
vi.mock('../../../server/signIn/password.ts', () => ({
  hashPassword: async (password: string) => `hash of ${password}`,
  verifyPassword: vi.fn(async (hash: string | null, password: string) => hash === `hash of ${password}`),
}));
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HOME = '203.0.113.7';
const ELSEWHERE = '198.51.100.9';
const JWT_SECRET = 'the same for every instance of this test file';

let database: TestDatabase;
let accountId: string;
const running: TestApp[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  // The limits and the app read one clock, which stands still.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T18:00:00Z') });
});
afterEach(async () => {
  vi.mocked(verifyPassword).mockReset();
  await Promise.all(running.splice(0).map((app) => app.close()));
  await query(database.url, 'TRUNCATE accounts, attempts CASCADE');
  vi.useRealTimers();
});
afterAll(() => database.drop());

const passTime = (ms: number) => vi.setSystemTime(Date.now() + ms);

type Options = Parameters<typeof startTestApp>[0];

/** One instance; all of a test share database and key. Behind one proxy, so that a test can come from anywhere. */
async function instance(options: Options = {}): Promise<TestApp> {
  const app = await startTestApp({
    databaseUrl: database.url,
    jwtSecret: JWT_SECRET,
    trustProxy: 1,
    ...options,
  });
  running.push(app);
  return app;
}

async function instanceWithAccount(options?: Options): Promise<TestApp> {
  const app = await instance(options);
  accountId = (await app.addAccount(ACCOUNT)).id;
  return app;
}

type Attempt = { username?: string; password?: string; from?: string; device?: string };

function answerTo(
  app: TestApp,
  { username = ACCOUNT.username, password = ACCOUNT.password, from = HOME, device }: Attempt = {},
): Promise<GraphqlAnswer> {
  return app.graphql(LOGIN, {
    variables: { username, password },
    headers: { 'x-forwarded-for': from, ...(device && { cookie: `device=${device}` }) },
  });
}

function outcomeOf({ data, errors }: GraphqlAnswer): string {
  return data?.login ? 'signed in' : (errors?.[0]?.extensions.code ?? 'nothing');
}

const attempt = async (app: TestApp, from?: Attempt) => outcomeOf(await answerTo(app, from));
const guess = (app: TestApp, from: Attempt = {}) => attempt(app, { password: 'adivinanza', ...from });
const guesses = (app: TestApp, count: number, from?: Attempt) =>
  Promise.all(Array.from({ length: count }, () => guess(app, from)));

async function guessesInTurn(app: TestApp, from: Attempt[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const each of from) outcomes.push(await guess(app, each));
  return outcomes;
}

const upTo = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** A limit for networks that few guesses reach. */
const SMALL = {
  signInLimits: { ...SIGN_IN_LIMITS, network: { maxAttempts: 10, windowMs: 15 * MINUTE_MS } },
};
const NOBODIES = upTo(SMALL.signInLimits.network.maxAttempts, (index) => ({ username: `nadie${index}` }));

/** Returns how often each outcome occurs. */
function tally(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const points = async (app: TestApp) =>
  (await app.prisma.attemptCount.findMany({ orderBy: { points: 'asc' } })).map((count) => count.points);

/** Signs in and returns the device cookie. */
async function deviceOf(app: TestApp, from?: Attempt): Promise<string> {
  const { headers } = await answerTo(app, from);
  const cookie = headers.getSetCookie().find((line) => line.startsWith('device='));
  return /^device=([^;]+)/.exec(cookie ?? '')?.[1] ?? '';
}

describe('attempts for one username from one network', () => {
  test('of 400 parallel guesses over two instances exactly 5 reach the hash', async () => {
    const apps = [await instanceWithAccount(), await instance()];
    // Connects first: on a busy machine so many requests at once could time out over it.
    for (const app of apps) await app.database.warmUp();
    const outcomes = (await Promise.all(apps.map((app) => guesses(app, 200)))).flat();
    expect(tally(outcomes)).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 395 });
    expect(verifyPassword).toHaveBeenCalledTimes(5);
    expect(await points(apps[0] as TestApp)).toEqual([5, 5]);
  });

  test('are refused by neither of two limits before it is used up, however many come at once', async () => {
    const { prisma } = await instance();
    const limits = { ...SIGN_IN_LIMITS, network: SIGN_IN_LIMITS.account };
    const { countAttempt } = createAttemptCounts(prisma, signingKeys(JWT_SECRET).current, limits);
    for (let round = 0; round < 30; round += 1) {
      const counters = countersOfNetwork(ACCOUNT.username, 0, `198.18.0.${round}`);
      const attempts = await Promise.allSettled(upTo(10, () => countAttempt(counters)));
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    }
  });

  test('are not used up by sign-ins that are all right, however many come at once', async () => {
    const limit = { maxAttempts: 2, windowMs: 15 * MINUTE_MS };
    const app = await instanceWithAccount({
      signInLimits: { ...SIGN_IN_LIMITS, account: limit, browser: limit },
    });
    expect(await Promise.all(upTo(6, () => attempt(app)))).toEqual(Array(6).fill('signed in'));
  });

  test('beyond the fifth are refused until the seconds are over, the right password too, however often it was tried', async () => {
    const app = await instanceWithAccount();
    await guess(app);
    passTime(4 * MINUTE_MS);
    await guesses(app, 30);
    passTime(500);

    const { data, errors, headers } = await answerTo(app);
    expect(data).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'Too many attempts to sign in, try again in 11 minutes',
        extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 11 * 60 },
      }),
    ]);
    expect(headers.getSetCookie()).toEqual([]);
    passTime(11 * MINUTE_MS - 1_000);
    expect(await attempt(app)).toBe('RATE_LIMITED');
    passTime(1_000);
    expect(await attempt(app)).toBe('signed in');
  });

  test('are cleared by a success', async () => {
    const app = await instanceWithAccount();
    for (let round = 0; round < 3; round += 1) {
      expect(await guesses(app, 4)).toEqual(Array(4).fill('INVALID_CREDENTIALS'));
      expect(await attempt(app)).toBe('signed in');
    }
  });

  test('limit neither another network, nor another username from this one', async () => {
    const app = await instanceWithAccount();
    await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
    await guesses(app, 20);
    expect(await attempt(app)).toBe('RATE_LIMITED');
    expect(await attempt(app, { from: ELSEWHERE })).toBe('signed in');
    expect(await attempt(app, { username: 'radio@dos.example' })).toBe('signed in');
  });

  test('are those of a whole IPv6 /64', async () => {
    const app = await instanceWithAccount();
    const outcomes = await Promise.all(upTo(8, (host) => guess(app, { from: `2001:db8:0:1::${host}` })));
    expect(tally(outcomes)).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 3 });
    expect(await attempt(app, { from: '2001:db8:0:2::1' })).toBe('signed in');
  });
});

describe('attempts from one network', () => {
  test('are 100 failures in 15 minutes over all usernames; a success is none, and clears none', async () => {
    const app = await instanceWithAccount();
    const failures = upTo(100, (index) => ({ username: `nadie${index}` }));
    expect(tally(await guessesInTurn(app, failures.slice(0, 50)))).toEqual({ INVALID_CREDENTIALS: 50 });
    expect(await attempt(app)).toBe('signed in');
    expect(tally(await guessesInTurn(app, failures.slice(50)))).toEqual({ INVALID_CREDENTIALS: 50 });

    passTime(5 * MINUTE_MS);
    const rows = await points(app);
    const { errors } = await answerTo(app, { username: 'nadie100' });
    expect(errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 600 });
    expect(await attempt(app)).toBe('RATE_LIMITED');
    expect(await points(app)).toEqual(rows);
    expect(await attempt(app, { from: ELSEWHERE })).toBe('signed in');
    passTime(10 * MINUTE_MS);
    expect(await attempt(app)).toBe('signed in');
  });

  test('are as many from an IPv6 /48, from however many /64 of it, on two instances', async () => {
    const apps = [await instanceWithAccount(), await instance()] as const;
    const outcomes: string[] = [];
    // Of 120 networks, as many at once as one /48 may have under way.
    for (let turn = 0; turn < 5; turn += 1) {
      const from = upTo(24, (index) => ({ from: `2001:db8:0:${turn * 24 + index}::1` }));
      outcomes.push(
        ...(await Promise.all(from.map((each, index) => guess(index % 2 ? apps[0] : apps[1], each)))),
      );
    }
    expect(tally(outcomes)).toEqual({ INVALID_CREDENTIALS: 100, RATE_LIMITED: 20 });
    for (const each of apps) expect(await attempt(each, { from: '2001:db8:1::1' })).toBe('signed in');
  });
});

describe('nobody waits longer than 15 minutes', () => {
  const MAX_WAIT_SECONDS = 900;

  test.each<[string, Attempt[]]>([
    ['one username', upTo(5, () => ({}))],
    ['many usernames at a shared address', NOBODIES],
    ['many networks of an IPv6 /48', upTo(10, (index) => ({ from: `2001:db8:0:${index}::1` }))],
  ])('after failures for %s, not even by a clock that was set back', async (_name, failures) => {
    const [app, behind] = [await instanceWithAccount(SMALL), await instance(SMALL)];
    await guessesInTurn(app, failures);
    const from = failures.at(-1)?.from ?? HOME;
    const waitOn = async (which: TestApp) =>
      (await answerTo(which, { from })).errors?.[0]?.extensions.retryAfterSeconds;
    expect(await waitOn(app)).toBe(MAX_WAIT_SECONDS);
    passTime(-60 * MINUTE_MS);
    expect(await waitOn(behind)).toBe(MAX_WAIT_SECONDS);
    passTime(75 * MINUTE_MS);
    expect(await attempt(behind, { from })).toBe('signed in');
  });
});

describe('what counts against an account is forgiven on every instance', () => {
  test.each([
    ['unlock', ''],
    ['set-password', `${ACCOUNT.password}\n`],
  ])('by account %s; what counts against a network stays', async (command, input) => {
    const [here, there] = [await instanceWithAccount(SMALL), await instance(SMALL)];
    const device = await deviceOf(here);
    await guessesInTurn(here, NOBODIES);
    await guesses(here, 5, { from: ELSEWHERE });
    await guesses(here, 5, { device });
    for (const app of [here, there]) {
      expect(await attempt(app, { from: ELSEWHERE })).toBe('RATE_LIMITED');
      expect(await attempt(app, { device })).toBe('RATE_LIMITED');
    }

    const args = [command, '--username', ACCOUNT.username];
    expect(await runAccountHere(args, { url: database.url, input })).toMatchObject({ exitCode: 0 });
    const isStillKnown = command === 'unlock';
    for (const app of [here, there]) {
      expect(await attempt(app, { from: ELSEWHERE })).toBe('signed in');
      expect(await attempt(app, { device })).toBe(isStillKnown ? 'signed in' : 'RATE_LIMITED');
      expect(await attempt(app)).toBe('RATE_LIMITED');
    }
    const again = await guesses(here, 8, { from: ELSEWHERE });
    expect(tally(again)).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 3 });
  });
});

describe('the address that counts', () => {
  const from = upTo(8, (host) => ({ from: `198.51.100.${host}` }));

  test('where no proxy is trusted is the connection’s, whatever X-Forwarded-For says', async () => {
    const app = await instanceWithAccount({ trustProxy: 0 });
    expect(tally(await guessesInTurn(app, from))).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 3 });
  });

  test('behind one proxy is the one that it added, whatever stands before it', async () => {
    const app = await instanceWithAccount();
    const forged = from.map((each) => ({ from: `${each.from}, ${HOME}` }));
    expect(tally(await guessesInTurn(app, forged))).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 3 });
    expect(await attempt(app, { from: `${HOME}, ${ELSEWHERE}` })).toBe('signed in');
  });

  test.each([
    ['203.0.113.8', (port: number) => `203.0.113.8:${port}`],
    ['2001:db8::8', (port: number) => `[2001:db8::8]:${port}`],
  ])('with a port is %s whatever the port', async (_address, written) => {
    const app = await instanceWithAccount();
    const ports = upTo(8, (index) => ({ from: written(50_000 + index) }));
    expect(tally(await guessesInTurn(app, ports))).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 3 });
  });

  test('that is none, because the connection is gone, is no mistake of ours', async () => {
    const app = await instanceWithAccount();
    const { hostname, port } = new URL(app.url);
    const { username, password } = ACCOUNT;
    const body = JSON.stringify({ query: LOGIN, variables: { username, password } });
    const head = `POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const gone = upTo(30, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(head + body, () => socket.resetAndDestroy());
      await once(socket, 'close');
    });
    await Promise.all(gone);
    const answers = () => app.logLines.filter((line) => line.includes('"msg":"request"'));
    await expect.poll(() => answers()).toHaveLength(30);
    expect(app.logLines.filter((line) => /INTERNAL_SERVER_ERROR|"level":"error"/.test(line))).toEqual([]);
  });
});

describe('a known browser', () => {
  test('signs in on a network that is used up, after failures from many others', async () => {
    const app = await instanceWithAccount(SMALL);
    const device = await deviceOf(app);
    await guessesInTurn(app, NOBODIES);
    await guessesInTurn(
      app,
      upTo(10, (index) => ({ from: `198.18.0.${index}` })),
    );
    expect(await attempt(app)).toBe('RATE_LIMITED');
    expect(await attempt(app, { device })).toBe('signed in');
  });

  test('has 5 attempts of its own in 15 minutes, which a success clears, and uses up nobody else’s', async () => {
    const app = await instanceWithAccount();
    const [device, another] = [await deviceOf(app), await deviceOf(app)];
    expect(await guesses(app, 4, { device })).toEqual(Array(4).fill('INVALID_CREDENTIALS'));
    expect(await attempt(app, { device })).toBe('signed in');
    expect(tally(await guesses(app, 40, { device }))).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 35 });
    const refused = await answerTo(app, { device, from: ELSEWHERE });
    expect(refused.errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 900 });

    expect(await attempt(app, { device: another })).toBe('signed in');
    expect(await attempt(app)).toBe('signed in');
    passTime(15 * MINUTE_MS);
    expect(await attempt(app, { device })).toBe('signed in');
  });

  test('shares 20 attempts in 15 minutes with all others of the account', async () => {
    const app = await instanceWithAccount();
    const devices: string[] = [];
    for (let index = 0; index < 6; index += 1) devices.push(await deviceOf(app));
    const tries = devices.flatMap((device) => Array(4).fill({ device }));
    expect(tally(await guessesInTurn(app, tries))).toEqual({ INVALID_CREDENTIALS: 20, RATE_LIMITED: 4 });
    expect(await attempt(app)).toBe('signed in');
  });

  test('keeps its id, and so its count, when the account signs in again; a cookie that does not count gives none', async () => {
    const app = await instanceWithAccount();
    await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
    const idOf = (device: string) => jwt.decode(device, { json: true })?.jti;
    const device = await deviceOf(app);
    const again = await deviceOf(app, { device, from: ELSEWHERE });
    expect(again).not.toBe('');
    expect(idOf(again)).toBe(idOf(device));
    expect(idOf(await deviceOf(app, { device, username: 'radio@dos.example' }))).not.toBe(idOf(device));
    await guesses(app, 5, { device });
    expect(await attempt(app, { device: again })).toBe('RATE_LIMITED');

    await setPassword(app.prisma, OPERATOR, ACCOUNT.username, async () => ACCOUNT.password);
    expect(idOf(await deviceOf(app, { device: again }))).not.toBe(idOf(device));
  });

  test.each([1, 2])(
    'collected before a new password is none after it: of 60 guesses with 12 cookies 5 are checked, on %d instances',
    async (instances) => {
      const apps = [await instanceWithAccount()];
      while (apps.length < instances) apps.push(await instance());
      const [app] = apps as [TestApp];
      const devices: string[] = [];
      for (let index = 0; index < 12; index += 1) devices.push(await deviceOf(app));
      await setPassword(app.prisma, OPERATOR, ACCOUNT.username, async () => 'otro-secreto');
      vi.mocked(verifyPassword).mockClear();
      const outcomes: string[] = [];
      for (const [index, device] of devices.entries()) {
        outcomes.push(...(await guesses(apps[index % instances] as TestApp, 5, { device })));
      }
      expect(tally(outcomes)).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 55 });
      expect(verifyPassword).toHaveBeenCalledTimes(5);
    },
  );

  test('is known by a cookie for 180 days', async () => {
    const app = await instanceWithAccount();
    const { headers } = await answerTo(app);
    const [, device] = headers.getSetCookie();
    expect(device).toMatch(/^device=.*; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  test('over https has a __Host- cookie, Secure, and is known by that one alone', async () => {
    const app = await instanceWithAccount();
    const https = { 'x-forwarded-for': HOME, 'x-forwarded-proto': 'https' };
    const variables = { username: ACCOUNT.username, password: ACCOUNT.password };
    const login = (sent = {}) => app.graphql(LOGIN, { variables, headers: { ...https, ...sent } });
    const [, cookie = ''] = (await login()).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-device=.*; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/);
    const [pair = ''] = cookie.split(';');

    await guesses(app, 5);
    expect(outcomeOf(await login({ cookie: pair.replace('__Host-', '') }))).toBe('RATE_LIMITED');
    expect(outcomeOf(await login({ cookie: pair }))).toBe('signed in');
  });

  const claims = { iss: 'audio-oficial-premium', aud: 'audio-oficial-premium/device', jti: randomUUID() };

  test('is none by a cookie that is forged, of another account, or expired', async () => {
    const app = await instanceWithAccount();
    await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
    const expired = await deviceOf(app);
    passTime(180 * DAY_MS);
    const own = await deviceOf(app);
    const { jwt: session } = await app.signIn();
    await guesses(app, 5);

    const body = { ...claims, sub: accountId, exp: Math.floor(Date.now() / 1000) + 3600 };
    const useless = {
      'signed with another key': jwt.sign(body, 'another secret of thirty-two bytes'),
      unsigned: jwt.sign(body, null, { algorithm: 'none' }),
      'of another account': await deviceOf(app, { username: 'radio@dos.example' }),
      expired,
      'without an expiry': jwt.sign({ ...claims, sub: accountId }, JWT_SECRET),
      'with a version that is no number': jwt.sign({ ...body, credentialsVersion: '0' }, JWT_SECRET),
      'that is a session': session,
      'cut short': own.slice(0, -2),
      'that is nothing': 'x',
    };
    for (const [name, device] of Object.entries(useless)) {
      expect([name, device !== '', await attempt(app, { device })]).toEqual([name, true, 'RATE_LIMITED']);
    }
    expect(await attempt(app, { device: own })).toBe('signed in');
  });

  test.each([
    [
      'set-password',
      (app: TestApp) => setPassword(app.prisma, OPERATOR, ACCOUNT.username, async () => ACCOUNT.password),
    ],
    [
      'disable',
      async (app: TestApp) => {
        await setDisabled(app.prisma, OPERATOR, ACCOUNT.username, true);
        await setDisabled(app.prisma, OPERATOR, ACCOUNT.username, false);
      },
    ],
  ])('is one no longer after %s; one that signs in afterwards is', async (_name, change) => {
    const app = await instanceWithAccount();
    const device = await deviceOf(app);
    // The previous release signs no version.
    const ofPreviousRelease = jwt.sign({ ...claims, sub: accountId }, JWT_SECRET, { expiresIn: '180d' });
    await guesses(app, 5);
    for (const known of [device, ofPreviousRelease]) {
      expect(await attempt(app, { device: known })).toBe('signed in');
    }
    await change(app);
    const after = await deviceOf(app, { from: ELSEWHERE });
    await guesses(app, 5);
    for (const known of [device, ofPreviousRelease]) {
      expect(await attempt(app, { device: known })).toBe('RATE_LIMITED');
    }
    expect(await attempt(app, { device: after })).toBe('signed in');
  });
});

test('a flood of sign-ins hashes three at once at most, keeps neither a session nor a known browser waiting, and counts only those that got a turn', async () => {
  const app = await instanceWithAccount();
  const headers = await app.bearer();
  const device = await deviceOf(app);
  const countedBefore = await app.prisma.attemptCount.count();
  const hashed: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.mocked(verifyPassword).mockImplementation(async (_hash, password) => {
    hashed.push(password);
    await released;
    return password === ACCOUNT.password;
  });
  const flood = upTo(60, (host) => guess(app, { from: `198.18.0.${host}` }));
  expect(await Promise.any(flood)).toBe('RATE_LIMITED');
  expect(hashed.length).toBeLessThanOrEqual(3);
  expect(await app.prisma.attemptCount.count()).toBeLessThanOrEqual(countedBefore + 2 * 3);

  const owner = attempt(app, { device });
  expect((await app.graphql(SESSION, { headers })).data?.session).toMatchObject({ id: accountId });
  release();
  expect(await owner).toBe('signed in');
  expect(hashed.indexOf(ACCOUNT.password)).toBeLessThan(20);
  await Promise.all(flood);
});

describe('of what checks passwords', () => {
  /** Keeps every password waiting until told. */
  function holdPasswords() {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    vi.mocked(verifyPassword).mockImplementation(async (_hash, password) => {
      await released;
      return password === ACCOUNT.password;
    });
    return release;
  }
  const AT_ONCE = 12;
  const FLOOD = AT_ONCE + 8;

  test('a network may hold a share: ten people at one address get in, one that asks for more is told a second, others are served', async () => {
    const app = await instanceWithAccount();
    const studio = await Promise.all(upTo(10, () => attempt(app)));
    expect(studio).toEqual(Array(10).fill('signed in'));

    const release = holdPasswords();
    const flood = upTo(40, (index) => answerTo(app, { username: `nadie${index}` }));
    const refused = await Promise.any(flood);
    expect(refused.errors?.[0]).toMatchObject({
      message: 'Too many requests at once, try again in 1 second',
      extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1 },
    });
    const other = attempt(app, { from: ELSEWHERE });
    release();
    expect(await other).toBe('signed in');
    await Promise.all(flood);
  });

  test('a stranger holds no more of an account’s share than leaves its partner room in a new browser', async () => {
    const app = await instanceWithAccount();
    const release = holdPasswords();
    const stranger = upTo(40, () => guess(app, { from: ELSEWHERE }));
    expect(await Promise.any(stranger)).toBe('RATE_LIMITED');
    const partner = attempt(app);
    release();
    expect(await partner).toBe('signed in');
    await Promise.all(stranger);
  });

  test('the known browsers of an account hold a share, which leaves others room in known and in new browsers', async () => {
    const app = await instanceWithAccount();
    await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
    const device = await deviceOf(app);
    const another = await deviceOf(app, { username: 'radio@dos.example', from: ELSEWHERE });
    const order: string[] = [];
    const signingIn = (name: string, from: Attempt) =>
      attempt(app, from).then((outcome) => {
        order.push(name);
        return outcome;
      });
    const release = holdPasswords();
    const flood = upTo(FLOOD, () => signingIn('flood', { device }));
    expect(await Promise.any(flood)).toBe('RATE_LIMITED');
    const others = [
      signingIn('new', { username: 'radio@dos.example', from: ELSEWHERE }),
      signingIn('known', { username: 'radio@dos.example', device: another }),
    ];
    await expect.poll(() => order).toHaveLength(FLOOD - AT_ONCE);
    release();
    expect(await Promise.all(others)).toEqual(['signed in', 'signed in']);
    expect(tally(await Promise.all(flood))).toEqual({ 'signed in': AT_ONCE, RATE_LIMITED: FLOOD - AT_ONCE });
    const served = order.slice(FLOOD - AT_ONCE);
    for (const name of ['known', 'new'])
      expect(served.indexOf(name)).toBeLessThan(served.lastIndexOf('flood'));
  });

  test('a browser from before the account’s new password takes no share from its known browsers', async () => {
    const app = await instanceWithAccount();
    const old = await deviceOf(app);
    await setPassword(app.prisma, OPERATOR, ACCOUNT.username, async () => ACCOUNT.password);
    const device = await deviceOf(app);
    const release = holdPasswords();
    const flood = upTo(FLOOD, () => guess(app, { device: old }));
    expect(await Promise.any(flood)).toBe('RATE_LIMITED');
    const partner = attempt(app, { device });
    release();
    expect(await partner).toBe('signed in');
    await Promise.all(flood);
  });
});

test('what is kept of attempts shows no username and no address, not even to a thief who hashes all that there are', async () => {
  const app = await instanceWithAccount();
  await guess(app);
  const keys = (await app.prisma.attemptCount.findMany()).map(({ key }) => key);
  expect(keys).toHaveLength(2);
  const guessed = [ACCOUNT.username, HOME, `${ACCOUNT.username}${HOME}`]
    .concat(JSON.stringify(['account', ACCOUNT.username, HOME]), JSON.stringify(['network', HOME]))
    .map((text) => createHash('sha256').update(text).digest('hex'));
  for (const key of keys) {
    expect(key).toMatch(/^[\da-f]{64}$/);
    expect(guessed).not.toContain(key);
  }
});

test('statements: 9 for a login, 2 for one that is refused, 2 for session, 3 for createToken', async () => {
  const app = await instanceWithAccount();
  const headers = await app.bearer();
  const queries = vi.spyOn(pg.Client.prototype, 'query');
  const statements = async (request: () => Promise<unknown>) => {
    queries.mockClear();
    await request();
    return queries.mock.calls.length;
  };
  try {
    expect(await statements(() => attempt(app))).toBe(9);
    expect(await statements(() => app.graphql(SESSION, { headers }))).toBe(2);
    expect(await statements(() => app.graphql(CREATE_TOKEN, { headers }))).toBe(3);
    await guesses(app, 5);
    expect(await statements(() => guess(app))).toBe(2);
  } finally {
    queries.mockRestore();
  }
});
