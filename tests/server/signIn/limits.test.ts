import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import jwt from 'jsonwebtoken';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setDisabled, setPassword } from '../../../server/cli/accounts.ts';
import { type Counts, createAttemptCounts } from '../../../server/signIn/attempts.ts';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { signingKeys } from '../../../server/signIn/signedJwt.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  type GraphqlAnswer,
  LOGIN,
  LOGOUT,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

vi.mock('../../../server/signIn/password.ts', { spy: true });
vi.setConfig({ testTimeout: 60_000 });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const HOME = '203.0.113.7';
const JWT_SECRET = 'the same for every instance of this test file';

let database: TestDatabase;
let accountId: string;
let now: Date;
const running: TestApp[] = [];

beforeEach(async () => {
  now = new Date('2026-11-20T18:00:00Z');
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
  await database.drop();
});

/** One instance; all of a test share its database, key and clock. Behind one proxy, so that a test can come from anywhere. */
async function instance(options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> {
  const app = await startTestApp({
    databaseUrl: database.url,
    jwtSecret: JWT_SECRET,
    clock: () => now,
    trustProxy: 1,
    ...options,
  });
  running.push(app);
  return app;
}

async function instanceWithAccount(options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> {
  const app = await instance(options);
  accountId = (await app.addAccount(ACCOUNT)).id;
  return app;
}

type Attempt = { username?: string; password?: string; from?: string; device?: string };

function attempt(app: TestApp, { username, password, from = HOME, device }: Attempt): Promise<GraphqlAnswer> {
  return app.graphql(LOGIN, {
    variables: { username: username ?? ACCOUNT.username, password: password ?? ACCOUNT.password },
    headers: { 'x-forwarded-for': from, ...(device && { cookie: `device=${device}` }) },
  });
}

const guess = (app: TestApp, from: Attempt = {}) => attempt(app, { password: 'adivinanza', ...from });

async function guesses(app: TestApp, count: number, from: Attempt = {}): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, async () => outcome(await guess(app, from))));
}

function outcome({ data, errors }: GraphqlAnswer): string {
  return data?.login ? 'signed in' : (errors?.[0]?.extensions.code ?? 'nothing');
}

/** What the browser is known by after a sign-in that has to succeed. */
async function deviceOf(app: TestApp, from: Attempt = {}): Promise<string> {
  const { headers } = await attempt(app, from);
  const cookie = headers.getSetCookie().find((line) => line.startsWith('device='));
  return /^device=([^;]+)/.exec(cookie ?? '')?.[1] ?? '';
}

function count(outcomes: string[], wanted: string): number {
  return outcomes.filter((one) => one === wanted).length;
}

describe('attempts for one username from one address', () => {
  test('of 400 parallel guesses over two instances exactly 5 reach the hash', async () => {
    const apps = [await instanceWithAccount(), await instance()];
    vi.mocked(verifyPassword).mockClear();
    const outcomes = (await Promise.all(apps.map((app) => guesses(app, 200)))).flat();
    expect(count(outcomes, 'INVALID_CREDENTIALS')).toBe(5);
    expect(count(outcomes, 'RATE_LIMITED')).toBe(395);
    expect(verifyPassword).toHaveBeenCalledTimes(5);
  });

  test('are not used up by sign-ins that are all right, however many come at once', async () => {
    const limit = { maxAttempts: 2, windowMs: 15 * MINUTE_MS };
    const app = await instanceWithAccount({
      signInLimits: { account: limit, device: limit, address: { ...limit, maxAttempts: 100 } },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async () => outcome(await attempt(app, {}))),
    );
    expect(count(outcomes, 'signed in')).toBe(12);
  });

  test('the sixth is refused with the seconds until it opens, the right password too', async () => {
    const app = await instanceWithAccount();
    await guess(app);
    now = new Date(now.getTime() + 4 * MINUTE_MS);
    await guesses(app, 4);
    now = new Date(now.getTime() + 500);

    const { data, errors, headers } = await attempt(app, {});
    expect(data).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'Too many attempts to sign in',
        extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 11 * 60 },
      }),
    ]);
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('it opens again after just these seconds, however often it was tried meanwhile', async () => {
    const app = await instanceWithAccount();
    await guesses(app, 30);
    const [error] = (await attempt(app, {})).errors ?? [];
    const openMs = now.getTime() + (error?.extensions.retryAfterSeconds ?? 0) * 1000;
    now = new Date(openMs - 1000);
    expect(outcome(await attempt(app, {}))).toBe('RATE_LIMITED');
    now = new Date(openMs);
    expect(outcome(await attempt(app, {}))).toBe('signed in');
  });

  test('a success clears the count', async () => {
    const app = await instanceWithAccount();
    for (let round = 0; round < 3; round += 1) {
      expect(await guesses(app, 4)).toEqual(Array(4).fill('INVALID_CREDENTIALS'));
      expect(outcome(await attempt(app, {}))).toBe('signed in');
    }
  });

  test('an attempt whose account is disabled while its password is looked at stays counted', async () => {
    const app = await instanceWithAccount();
    vi.mocked(verifyPassword).mockImplementationOnce(async () => {
      await app.prisma.account.update({ where: { id: accountId }, data: { disabled: true } });
      return true;
    });
    expect(outcome(await attempt(app, {}))).toBe('INVALID_CREDENTIALS');
    const counted = await app.prisma.signInCount.findMany({ select: { attempts: true } });
    expect(counted).toEqual([{ attempts: 1 }, { attempts: 1 }]);
  });

  test('a username that nobody has, or whose account is disabled, is limited just the same', async () => {
    const app = await instance();
    await app.addAccount({ ...ACCOUNT, username: 'apagada@uno.example', disabled: true });
    for (const username of ['nadie@uno.example', 'apagada@uno.example']) {
      const outcomes = await guesses(app, 7, { username, password: ACCOUNT.password });
      expect(count(outcomes, 'INVALID_CREDENTIALS')).toBe(5);
      expect(count(outcomes, 'RATE_LIMITED')).toBe(2);
    }
  });

  test('limit neither another address, nor another username from the same one', async () => {
    const app = await instanceWithAccount();
    await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
    await guesses(app, 200);
    expect(outcome(await attempt(app, {}))).toBe('RATE_LIMITED');
    expect(outcome(await attempt(app, { from: '198.51.100.9' }))).toBe('signed in');
    expect(outcome(await attempt(app, { username: 'radio@dos.example' }))).toBe('signed in');
  });

  test('addresses of one IPv6 /64 are one, of another /64 another', async () => {
    const app = await instanceWithAccount();
    const outcomes = [];
    for (let host = 1; host <= 6; host += 1)
      outcomes.push(outcome(await guess(app, { from: `2001:db8:0:1::${host}` })));
    expect(outcomes.at(-1)).toBe('RATE_LIMITED');
    expect(outcome(await attempt(app, { from: '2001:db8:0:2::1' }))).toBe('signed in');
  });
});

describe('attempts from one address', () => {
  test('are 100 failures a day over all usernames; a success is none, and clears none', async () => {
    const app = await instanceWithAccount();
    const guessAs = (username: string) => guess(app, { username });
    for (let index = 0; index < 50; index += 1)
      expect(outcome(await guessAs(`nadie${index}`))).toBe('INVALID_CREDENTIALS');
    expect(outcome(await attempt(app, {}))).toBe('signed in');
    for (let index = 50; index < 100; index += 1)
      expect(outcome(await guessAs(`nadie${index}`))).toBe('INVALID_CREDENTIALS');

    now = new Date(now.getTime() + HOUR_MS);
    const refused = await guessAs('nadie101');
    expect(refused.errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 23 * 3600 });
    expect(outcome(await attempt(app, {}))).toBe('RATE_LIMITED');
    expect(outcome(await attempt(app, { from: '198.51.100.9' }))).toBe('signed in');
    now = new Date(now.getTime() + 23 * HOUR_MS);
    expect(outcome(await attempt(app, {}))).toBe('signed in');
  });

  test('once refused leave no row behind, whatever usernames they come with', async () => {
    const app = await instance({
      signInLimits: {
        account: { maxAttempts: 5, windowMs: HOUR_MS },
        address: { maxAttempts: 1, windowMs: DAY_MS },
        device: { maxAttempts: 5, windowMs: HOUR_MS },
      },
    });
    await guess(app, { username: 'primera' });
    for (let index = 0; index < 20; index += 1) await guess(app, { username: `nadie${index}` });
    expect(await app.prisma.signInCount.count()).toBe(2);
  });
});

describe('the address that counts', () => {
  test('where no proxy is trusted is the connection’s, whatever X-Forwarded-For says', async () => {
    const app = await instanceWithAccount({ trustProxy: 0 });
    const outcomes = [];
    for (let host = 1; host <= 8; host += 1)
      outcomes.push(outcome(await guess(app, { from: `198.51.100.${host}` })));
    expect(count(outcomes, 'INVALID_CREDENTIALS')).toBe(5);
    expect(outcomes.slice(5)).toEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('behind one proxy is the one that it added, whatever stands before it', async () => {
    const app = await instanceWithAccount();
    const outcomes = [];
    for (let host = 1; host <= 8; host += 1) {
      outcomes.push(outcome(await guess(app, { from: `198.51.100.${host}, ${HOME}` })));
    }
    expect(count(outcomes, 'INVALID_CREDENTIALS')).toBe(5);
    expect(outcome(await attempt(app, { from: `${HOME}, 198.51.100.9` }))).toBe('signed in');
  });
});

describe('an address as proxies write it', () => {
  test.each([
    ['203.0.113.8', (port: number) => `203.0.113.8:${port}`],
    ['2001:db8::8', (port: number) => `[2001:db8::8]:${port}`],
  ])('with a port is %s whatever the port', async (_address, from) => {
    const app = await instanceWithAccount();
    const outcomes = [];
    for (let port = 50_000; port < 50_008; port += 1)
      outcomes.push(outcome(await guess(app, { from: from(port) })));
    expect(count(outcomes, 'INVALID_CREDENTIALS')).toBe(5);
  });

  test('that is none, for the connection is gone, is no mistake of ours', async () => {
    const app = await instanceWithAccount();
    const { hostname, port } = new URL(app.url);
    const body = JSON.stringify({
      query: LOGIN,
      variables: { username: ACCOUNT.username, password: ACCOUNT.password },
    });
    const head = `POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const gone = Array.from({ length: 30 }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(head + body, () => socket.resetAndDestroy());
      await once(socket, 'close');
    });
    await Promise.all(gone);
    const answers = () => app.logLines.filter((line) => line.includes('"msg":"request"'));
    await vi.waitFor(() => expect(answers()).toHaveLength(30), { timeout: 5_000 });
    expect(app.logLines.filter((line) => line.includes('INTERNAL_SERVER_ERROR'))).toEqual([]);
    expect(app.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});

describe('a known browser', () => {
  test('signs in on an address that is used up, after 10,000 failures from elsewhere', async () => {
    const app = await instanceWithAccount();
    const device = await deviceOf(app);
    const counts = createAttemptCounts(app.database.query, signingKeys(JWT_SECRET).current, () => now);
    const limit = { maxAttempts: 100, windowMs: DAY_MS };
    const failure = (address: string, username = ACCOUNT.username): Counts => ({
      own: { limit, subject: ['account', username, address] },
      shared: [{ limit, subject: ['address', address] }],
    });
    const failures = (addresses: string[]): Counts => {
      const [first, ...others] = addresses.map((address) => failure(address)) as [Counts, ...Counts[]];
      return {
        ...first,
        shared: [...first.shared, ...others.flatMap(({ own, shared }) => [own, ...shared])],
      };
    };
    for (let block = 0; block < 100; block += 1) {
      const addresses = Array.from({ length: 100 }, (_, host) => `198.18.${block}.${host}`);
      await counts.begin(ACCOUNT.username, failures(addresses), null);
    }
    for (let index = 0; index < 100; index += 1) {
      await counts.begin(ACCOUNT.username, failure(HOME, `nadie${index}`), null);
    }
    const rows = await app.prisma.signInCount.count();
    expect(rows).toBeGreaterThan(20_000);
    expect(outcome(await guess(app, { from: '198.18.99.99' }))).toBe('INVALID_CREDENTIALS');
    expect(await app.prisma.signInCount.count()).toBe(rows);

    expect(outcome(await attempt(app, {}))).toBe('RATE_LIMITED');
    expect(outcome(await attempt(app, { device }))).toBe('signed in');
    expect(outcome(await attempt(app, { from: '198.51.100.9' }))).toBe('signed in');
  });

  test('has 5 attempts of its own in 15 minutes, which a success clears, and uses up nobody else’s', async () => {
    const app = await instanceWithAccount();
    const [device, another] = [await deviceOf(app), await deviceOf(app)];
    expect(await guesses(app, 4, { device })).toEqual(Array(4).fill('INVALID_CREDENTIALS'));
    expect(outcome(await attempt(app, { device }))).toBe('signed in');
    const outcomes = await guesses(app, 40, { device });
    expect(count(outcomes, 'INVALID_CREDENTIALS')).toBe(5);
    const refused = await attempt(app, { device, from: '198.51.100.9' });
    expect(refused.errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 900 });

    expect(outcome(await attempt(app, { device: another }))).toBe('signed in');
    expect(outcome(await attempt(app, {}))).toBe('signed in');
    now = new Date(now.getTime() + 15 * MINUTE_MS);
    expect(outcome(await attempt(app, { device }))).toBe('signed in');
  });

  test('is known by an HttpOnly, SameSite=Strict cookie for 180 days, which signing out leaves alone', async () => {
    const app = await instanceWithAccount();
    const { headers } = await attempt(app, {});
    const [session, device, ...others] = headers.getSetCookie();
    expect(session).toMatch(/^session=/);
    expect(device).toMatch(
      /^device=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Expires=Wed, 19 May 2027 18:00:00 GMT; HttpOnly; SameSite=Strict$/,
    );
    expect(others).toEqual([]);
    const cookie = [session, device].map((line) => line?.split(';')[0]).join('; ');
    const signOut = await app.graphql(LOGOUT, { headers: { cookie } });
    expect(signOut.headers.getSetCookie().map((line) => line.split('=')[0])).toEqual(['session']);
  });

  test('over https has a __Host- cookie, Secure, and is known by that one alone', async () => {
    const app = await instanceWithAccount();
    const https = { 'x-forwarded-for': HOME, 'x-forwarded-proto': 'https' };
    const variables = { username: ACCOUNT.username, password: ACCOUNT.password };
    const { headers } = await app.graphql(LOGIN, { variables, headers: https });
    const [, cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-device=.*; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/);
    const [pair = ''] = cookie.split(';');

    await guesses(app, 5);
    const login = (sent: string) => app.graphql(LOGIN, { variables, headers: { ...https, cookie: sent } });
    expect(outcome(await login(pair.replace('__Host-', '')))).toBe('RATE_LIMITED');
    expect(outcome(await login(pair))).toBe('signed in');
  });

  test('is signed in by nothing but a password: its cookie is no session', async () => {
    const app = await instanceWithAccount();
    const device = await deviceOf(app);
    for (const headers of [
      { cookie: `device=${device}` },
      { cookie: `session=${device}` },
      { authorization: `Bearer ${device}` },
    ]) {
      expect((await app.graphql(SESSION, { headers })).data).toEqual({ session: null });
    }
  });

  test('a cookie that is forged, of another account, or ran out helps nobody', async () => {
    const app = await instanceWithAccount();
    await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example' });
    const ranOut = await deviceOf(app);
    now = new Date(now.getTime() + 180 * DAY_MS);
    const own = await deviceOf(app);
    const { data } = await attempt(app, {});
    const { jwt: session } = { jwt: '', ...(data?.login ?? {}) };
    await guesses(app, 5);

    const claims = {
      iss: 'audio-oficial-premium',
      aud: 'audio-oficial-premium/device',
      sub: accountId,
      jti: randomUUID(),
    };
    const body = { ...claims, exp: Math.floor(now.getTime() / 1000) + 3600 };
    const useless = {
      'signed with another key': jwt.sign(body, 'another secret of thirty-two bytes'),
      unsigned: jwt.sign(body, null, { algorithm: 'none' }),
      'of another account': await deviceOf(app, { username: 'radio@dos.example' }),
      'that ran out': ranOut,
      'without an expiry': jwt.sign(claims, JWT_SECRET),
      'that is a session': session,
      'cut short': own.slice(0, -2),
      'that is nothing': 'x',
    };
    for (const [name, device] of Object.entries(useless)) {
      expect([name, device !== '', outcome(await attempt(app, { device }))]).toEqual([
        name,
        true,
        'RATE_LIMITED',
      ]);
    }
    expect(outcome(await attempt(app, { device: own }))).toBe('signed in');
  });
});

describe('a known browser is one no more', () => {
  test.each([
    [
      'set-password',
      (app: TestApp) => setPassword(app.prisma, ACCOUNT.username, async () => ACCOUNT.password),
    ],
    [
      'disable',
      async (app: TestApp) => {
        await setDisabled(app.prisma, ACCOUNT.username, true);
        await setDisabled(app.prisma, ACCOUNT.username, false);
      },
    ],
  ])('after %s; one that signs in afterwards is', async (_name, change) => {
    const app = await instanceWithAccount();
    const device = await deviceOf(app);
    await change(app);
    const after = await deviceOf(app);
    await guesses(app, 5);
    expect(outcome(await attempt(app, { device }))).toBe('RATE_LIMITED');
    expect(outcome(await attempt(app, { device: after }))).toBe('signed in');
  });

  test('when the previous release marked it, without a version, once the password changed', async () => {
    const app = await instanceWithAccount();
    const device = jwt.sign(
      {
        iss: 'audio-oficial-premium',
        aud: 'audio-oficial-premium/device',
        sub: accountId,
        jti: randomUUID(),
      },
      JWT_SECRET,
      { expiresIn: '180d' },
    );
    await guesses(app, 5);
    expect(outcome(await attempt(app, { device }))).toBe('signed in');
    await setPassword(app.prisma, ACCOUNT.username, async () => ACCOUNT.password);
    expect(outcome(await attempt(app, { device }))).toBe('RATE_LIMITED');
  });
});

describe('a flood of sign-ins from everywhere', () => {
  test('hashes three at once at most and leaves the session alone; what gets no turn is not counted', async () => {
    const app = await instanceWithAccount();
    const { data } = await attempt(app, {});
    const headers = { authorization: `Bearer ${{ jwt: '', ...(data?.login ?? {}) }.jwt}` };
    const device = await deviceOf(app);
    const countedBefore = await app.prisma.signInCount.count();
    const hashed: string[] = [];
    const held: Array<() => void> = [];
    vi.mocked(verifyPassword).mockImplementation((_hash, password) => {
      hashed.push(password);
      return new Promise((resolve) => held.push(() => resolve(password === ACCOUNT.password)));
    });
    const release = () => {
      for (const end of held.splice(0)) end();
    };
    const flood = (network: string) =>
      Array.from({ length: 60 }, (_, host) => guess(app, { from: `${network}.${host}` }));
    try {
      const first = flood('198.18.0');
      const refused = await Promise.any(first);
      expect(refused.errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
      expect((await app.graphql(SESSION, { headers })).data?.session).toMatchObject({ id: accountId });
      expect(hashed.length).toBeLessThanOrEqual(3);
      expect(await app.prisma.signInCount.count()).toBeLessThanOrEqual(countedBefore + 2 * 6);

      const second = flood('198.18.1');
      await app.graphql(SESSION, { headers });
      const owner = attempt(app, { device });
      await vi.waitFor(() => {
        release();
        expect(hashed).toContain(ACCOUNT.password);
      });
      expect(hashed.indexOf(ACCOUNT.password)).toBeLessThan(20);
      vi.mocked(verifyPassword).mockResolvedValue(false);
      release();
      expect(outcome(await owner)).toBe('signed in');
      await Promise.all([...first, ...second]);
    } finally {
      release();
      vi.mocked(verifyPassword).mockReset();
    }
  });
});

describe('what is kept of attempts', () => {
  test('is in PostgreSQL alone: a restart forgets nothing', async () => {
    const first = await instanceWithAccount();
    const device = await deviceOf(first);
    await guesses(first, 5);
    await guesses(first, 5, { device });
    await Promise.all(running.splice(0).map((app) => app.close()));

    const second = await instance();
    expect(outcome(await attempt(second, {}))).toBe('RATE_LIMITED');
    expect(outcome(await attempt(second, { device }))).toBe('RATE_LIMITED');
  });

  test('shows no username and no address, not even to who hashes all that there are', async () => {
    const app = await instanceWithAccount();
    await guess(app);
    const rows = await app.prisma.signInCount.findMany();
    expect(rows).toHaveLength(2);
    const plainHashes = [ACCOUNT.username, HOME, `${ACCOUNT.username}${HOME}`]
      .concat(JSON.stringify(['account', ACCOUNT.username, HOME]), JSON.stringify(['address', HOME]))
      .map((text) => createHash('sha256').update(text).digest('hex'));
    for (const { key } of rows) {
      expect(key).toHaveLength(32);
      expect(plainHashes).not.toContain(Buffer.from(key).toString('hex'));
      for (const known of [ACCOUNT.username, 'radio', HOME])
        expect(Buffer.from(key).includes(known)).toBe(false);
    }
  });
});

describe('round trips to the database', () => {
  test('are 7 for a login, 2 for session and 3 for createToken', async () => {
    const app = await instanceWithAccount();
    const { data, headers } = await attempt(app, {});
    const { jwt: bearer } = { jwt: '', ...(data?.login ?? {}) };
    const authorization = `Bearer ${bearer}`;
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const roundTrips = async (request: () => Promise<GraphqlAnswer>) => {
      query.mockClear();
      expect((await request()).errors).toBeUndefined();
      return query.mock.calls.length;
    };
    try {
      expect(headers.getSetCookie()).toHaveLength(2);
      expect(await roundTrips(() => attempt(app, {}))).toBe(7);
      expect(await roundTrips(() => app.graphql(SESSION, { headers: { authorization } }))).toBe(2);
      expect(await roundTrips(() => app.graphql(CREATE_TOKEN, { headers: { authorization } }))).toBe(3);
      const { username, password } = ACCOUNT;
      const anew = { variables: { username, password }, headers: { authorization } };
      expect(await roundTrips(() => app.graphql(LOGIN, anew))).toBe(8);
      query.mockClear();
      await guess(app);
      expect(query.mock.calls.length).toBe(1);
    } finally {
      query.mockRestore();
    }
  });
});
