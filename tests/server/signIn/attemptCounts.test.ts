import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CodedError } from '../../../server/errors.ts';
import {
  attemptKey,
  type Counter,
  countersOfNetwork,
  createAttemptCounts,
  MAX_UNDER_WAY_MS,
} from '../../../server/signIn/attemptCounts.ts';
import { verifyPassword } from '../../../server/signIn/password.ts';
import { jwtSecrets } from '../../../server/signIn/signedJwt.ts';
import { HASH_QUEUE } from '../../../server/signIn/signInLimits.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { query } from '../../support/query.ts';
import { ACCOUNT, LOGIN, provideTestApp, startTestApp, type TestApp } from '../../support/testApp.ts';
import { waitingForLock } from '../../support/waitingForLock.ts';
import { claimsOf } from './forgeries.ts';

// Hashing takes its time and is not the subject here.
vi.mock('../../../server/signIn/password.ts', () => ({
  hashPassword: async (password: string) => `hash of ${password}`,
  verifyPassword: vi.fn(async (hash: string | null, password: string) => hash === `hash of ${password}`),
}));
const HOME = '203.0.113.7';
const ELSEWHERE = '198.51.100.9';
const ANOTHER = { ...ACCOUNT, username: 'radio@dos.example' };
const JWT_SECRET = 'the same for every instance of this test file';

// Behind one proxy, so that a test can come from anywhere.
const OPTIONS = { jwtSecret: JWT_SECRET, trustProxy: 1 };
const app = provideTestApp(OPTIONS);
let second: TestApp;

beforeAll(async () => {
  second = await startTestApp({ ...OPTIONS, databaseUrl: app.databaseUrl });
  // Connects first: on a busy machine many requests at once could time out over it.
  for (const { database } of [app, second]) await database.warmUp();
  return second.close;
});
beforeEach(async () => {
  await app.addAccount(ACCOUNT);
  await app.addAccount(ANOTHER);
});
afterEach(async () => {
  vi.mocked(verifyPassword).mockReset();
  await query(app.databaseUrl, 'TRUNCATE accounts, attempts CASCADE');
});

/** Makes all windows end, and what is under way lapse, this much earlier: the limits read the database's clock. */
const passTime = (ms: number) =>
  query(
    app.databaseUrl,
    `UPDATE attempts SET expires_at = expires_at - interval '${ms} ms',
      under_way = ARRAY(SELECT until - interval '${ms} ms' FROM unnest(under_way) AS until)`,
  );

type Attempt = { username?: string; password?: string; from?: string; device?: string; at?: TestApp };

function login({ username = ACCOUNT.username, password = ACCOUNT.password, ...how }: Attempt = {}) {
  const { from = HOME, device, at = app } = how;
  return at.graphql(LOGIN, {
    variables: { username, password },
    headers: { 'x-forwarded-for': from, ...(device && { cookie: `audio_device=${device}` }) },
  });
}

async function signIn(how?: Attempt): Promise<string> {
  const { data, errors } = await login(how);
  return data?.login ? 'signed in' : (errors?.[0]?.extensions.code ?? 'nothing');
}

const guess = (how: Attempt = {}) => signIn({ password: 'adivinanza', ...how });

async function guesses(count: number, how: (index: number) => Attempt = () => ({})): Promise<string[]> {
  const outcomes: string[] = [];
  for (let index = 0; index < count; index += 1) outcomes.push(await guess(how(index)));
  return outcomes;
}

/** The outcomes of guesses of which the first are let through. */
const letThrough = (count: number, refused: number): string[] => [
  ...Array(count).fill('INVALID_CREDENTIALS'),
  ...Array(refused).fill('RATE_LIMITED'),
];

/** Counts failures against the network at home, most of them by the database alone, which is quicker. */
async function failuresAtHome(count: number): Promise<void> {
  await guess({ username: ANOTHER.username });
  await query(app.databaseUrl, `UPDATE attempts SET failures = ${count} WHERE failures > 0`);
}

const failures = async () =>
  (await app.prisma.attemptCount.findMany({ orderBy: { failures: 'asc' } })).map((count) => count.failures);
const retryAfter = async (how?: Attempt) => (await login(how)).errors?.[0]?.extensions.retryAfterSeconds;

function holdChecks() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.mocked(verifyPassword)
    .mockClear()
    .mockImplementation(async (hash, password) => {
      await released;
      return hash === `hash of ${password}`;
    });
  // Otherwise the app could not close after a failure.
  onTestFinished(release);
  const reached = (count: number) =>
    vi.waitFor(() => expect(verifyPassword).toHaveBeenCalledTimes(count), { timeout: 10_000 });
  return { release, reached };
}

async function deviceOf(how?: Attempt): Promise<string> {
  return /audio_device=([^;]+)/.exec((await login(how)).headers.getSetCookie().join())?.[1] ?? '';
}

/** Raises a version as `account unlock` (attempts) or a new password (credentials) does. */
const raise = (version: 'attemptsVersion' | 'credentialsVersion') =>
  app.prisma.account.update({ where: { username: ACCOUNT.username }, data: { [version]: { increment: 1 } } });

// Named after the steps of the statement that starts an attempt.
describe('counters', () => {
  test('an attempt by IPv6 counts in both its networks', () => {
    const [small, large] = ['2001:db8:0:1::/64', '2001:db8:0::/48'];
    expect(countersOfNetwork('radio', 3, '2001:db8:0:1::9')).toEqual({
      own: { limit: 5, subject: ['account', 'radio', 3, small] },
      shared: [
        { limit: 100, subject: ['network', small] },
        { limit: 100, subject: ['network', large] },
      ],
    });
  });

  test('a known browser signs in on a network that is used up', async () => {
    const device = await deviceOf();
    await failuresAtHome(100);
    expect(await signIn()).toBe('RATE_LIMITED');
    expect(await signIn({ device })).toBe('signed in');
  });

  test('a known browser has 5 attempts of its own', async () => {
    const [device, another] = [await deviceOf(), await deviceOf()];
    await guesses(4, () => ({ device }));
    expect(await signIn({ device })).toBe('signed in');
    expect(await guesses(6, () => ({ device }))).toEqual(letThrough(5, 1));
    expect(await signIn({ device, from: ELSEWHERE })).toBe('RATE_LIMITED');
    expect(await signIn({ device: another })).toBe('signed in');
    expect(await signIn()).toBe('signed in');
    await raise('attemptsVersion');
    expect(await signIn({ device })).toBe('signed in');
  });

  test('a known browser shares a limit with all others of the account', async () => {
    const devices: string[] = [];
    for (let index = 0; index < 5; index += 1) devices.push(await deviceOf());
    const outcomes = await guesses(24, (index) => ({ device: devices[index % 5] ?? '' }));
    expect(outcomes).toEqual(letThrough(20, 4));
    expect(await signIn()).toBe('signed in');
  });

  test('a known browser keeps its count when the account signs in again', async () => {
    const device = await deviceOf();
    const again = await deviceOf({ device, from: ELSEWHERE });
    await guesses(5, () => ({ device }));
    expect(await signIn({ device: again })).toBe('RATE_LIMITED');
  });

  test.each([
    ['of another account', () => deviceOf({ username: ANOTHER.username }), async () => null],
    ['from before a new password', deviceOf, () => raise('credentialsVersion')],
  ])('a known browser is none by a cookie %s', async (_what, cookie, change) => {
    const device = await cookie();
    await change();
    await guesses(5);
    expect(await signIn({ device })).toBe('RATE_LIMITED');
    const known = await deviceOf({ device, from: ELSEWHERE });
    expect(claimsOf(known).jti).not.toBe(claimsOf(device).jti);
    expect(await signIn({ device: known })).toBe('signed in');
  });

  test("unlocking forgives only an account's attempts", async () => {
    await failuresAtHome(100);
    await guesses(5, () => ({ from: ELSEWHERE }));
    expect(await signIn({ from: ELSEWHERE })).toBe('RATE_LIMITED');
    await raise('attemptsVersion');
    expect(await signIn({ from: ELSEWHERE, at: second })).toBe('signed in');
    expect(await signIn()).toBe('RATE_LIMITED');
  });
});

describe('current_counts', () => {
  test('attempts of a killed instance are forgotten within seconds', async () => {
    const { release, reached } = holdChecks();
    // One on each instance: with one core an instance checks two at a time.
    const killed = [signIn(), signIn({ at: second })];
    await reached(2);
    await passTime(MAX_UNDER_WAY_MS);
    vi.mocked(verifyPassword).mockReset();
    expect(await guesses(6)).toEqual(letThrough(5, 1));
    release();
    await Promise.all(killed);
  });

  test('a window that was counted while the clock was ahead ends within 15 minutes', async () => {
    await guesses(5);
    await passTime(-60 * MINUTE_MS);
    expect(await retryAfter()).toBe(900);
    await passTime(15 * MINUTE_MS);
    expect(await signIn()).toBe('signed in');
  });

  test('an attempt that was under way when the clock was set back counts no longer', async () => {
    const { release, reached } = holdChecks();
    const begun = signIn();
    await reached(1);
    await query(app.databaseUrl, 'UPDATE attempts SET failures = 4');
    await passTime(-60 * MINUTE_MS);
    const next = signIn({ at: second });
    await Promise.race([next, reached(2)]);
    release();
    expect(await next).toBe('signed in');
    await begun;
  });
});

describe('decision', () => {
  test('attempts under way are no failures: the others are told a second', async () => {
    await guesses(4);
    const { release, reached } = holdChecks();
    const first = signIn();
    await reached(1);
    expect(await Promise.all([app, second].map((at) => retryAfter({ at })))).toEqual([1, 1]);
    release();
    expect(await first).toBe('signed in');
    expect(await signIn()).toBe('signed in');
  });

  test('attempts are refused beyond the fifth for the rest of 15 minutes', async () => {
    await guess();
    await passTime(4 * MINUTE_MS);
    await guesses(5);
    const { errors, headers } = await login();
    expect(errors?.[0]?.message).toBe('Too many attempts to sign in, try again in 11 minutes');
    expect(headers.getSetCookie()).toEqual([]);
    expect(headers.get('retry-after')).toBe(String(errors?.[0]?.extensions.retryAfterSeconds));
    await passTime(10 * MINUTE_MS);
    expect(await signIn()).toBe('RATE_LIMITED');
    await passTime(MINUTE_MS);
    expect(await signIn()).toBe('signed in');
  });

  test('failures from one network are limited over all usernames', async () => {
    await failuresAtHome(99);
    expect(await signIn()).toBe('signed in');
    expect(await guess()).toBe('INVALID_CREDENTIALS');
    await passTime(5 * MINUTE_MS);
    const before = await failures();
    expect(await retryAfter()).toBeLessThanOrEqual(600);
    expect(await failures()).toEqual(before);
    expect(await signIn({ from: ELSEWHERE })).toBe('signed in');
    await passTime(10 * MINUTE_MS);
    expect(await signIn()).toBe('signed in');
  });

  test('an attempt beyond two limits waits for the one that ends last', async () => {
    const attempts = createAttemptCounts(app.prisma, jwtSecrets(JWT_SECRET).current);
    const shared = [{ limit: 2, subject: ['network'] }];
    const fail = async (username: string) =>
      (await attempts.begin({ own: { limit: 1, subject: [username] }, shared })).end('failed');
    await fail('uno');
    await passTime(5 * MINUTE_MS);
    await fail('dos');
    const refusal = await fail('dos').catch((error: CodedError) => error.details);
    expect(Object(refusal).retryAfterSeconds).toBeGreaterThan(14 * 60);
  });
});

describe('updated_rows and inserted_rows', () => {
  test('of 80 parallel guesses over two instances exactly 5 reach the hash', async () => {
    const instances = Array.from({ length: 80 }, (_, index) => (index % 2 ? app : second));
    const outcomes = await Promise.all(instances.map((at) => guess({ at })));
    expect(outcomes.toSorted()).toEqual(letThrough(5, 75));
    expect(verifyPassword).toHaveBeenCalledTimes(5);
    expect(await failures()).toEqual([5, 5]);
  });

  test('twelve right passwords at once all sign in', async () => {
    // Takes longer than starting an attempt.
    vi.mocked(verifyPassword).mockImplementation(() => query(app.databaseUrl, 'SELECT 1').then(() => true));
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => signIn()));
    expect(outcomes).toEqual(Array(12).fill('signed in'));
  });

  test('sign-ins that wait for the database keep no other waiting', async () => {
    const stuckFrom = (index: number) => `198.51.100.${index}`;
    await guesses(4, (index) => ({ from: stuckFrom(index) }));
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN; SELECT FROM attempts FOR UPDATE');
      const stuck = Array.from({ length: 4 }, (_, index) => signIn({ from: stuckFrom(index) }));
      await waitingForLock(app.databaseUrl, 4);
      expect(await signIn({ username: ANOTHER.username })).toBe('signed in');
      await holder.query('COMMIT');
      expect(await Promise.all(stuck)).toEqual(Array(4).fill('signed in'));
    } finally {
      await holder.end();
    }
  });

  test('an attempt whose turn does not come counts against nobody', async () => {
    const hurried = await startTestApp({ ...OPTIONS, databaseUrl: app.databaseUrl, signInWaitMs: 0 });
    onTestFinished(hurried.close);
    const { release, reached } = holdChecks();
    const from = (index: number) => ({ from: `198.51.100.${index}`, at: hurried });
    const running = Array.from({ length: HASH_QUEUE.maxRunning }, (_, index) => signIn(from(index)));
    await reached(running.length);
    expect(await Promise.all([4, 4, 4, 4, 4].map((index) => signIn(from(index))))).toEqual(
      Array(5).fill('RATE_LIMITED'),
    );
    release();
    expect(await signIn(from(4))).toBe('signed in');
    await Promise.all(running);
  });
});

/** Makes PostgreSQL refuse these writes, as one does that was set to read only meanwhile. */
async function refuse(writes: string): Promise<void> {
  await query(
    app.databaseUrl,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION USING ERRCODE = '25006'; END $$;
     CREATE TRIGGER refuse BEFORE ${writes} FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  onTestFinished(async () => void (await query(app.databaseUrl, 'DROP FUNCTION refuse CASCADE')));
}

test.each([
  ['right', ACCOUNT.password, 'signed in'],
  ['wrong', 'adivinanza', 'INVALID_CREDENTIALS'],
])(
  'the answer to a %s password stands although its end is not counted',
  async (_which, password, outcome) => {
    await refuse('UPDATE ON attempts');
    expect(await signIn({ password })).toBe(outcome);
    expect(app.logLines.join()).toContain('the end of a sign-in was not counted');
    expect(await app.prisma.session.count()).toBe(outcome === 'signed in' ? 1 : 0);
  },
);

test('a right password is no failure where its session cannot be stored', async () => {
  await refuse('INSERT ON sessions');
  expect(await signIn()).toBe('DATABASE_UNAVAILABLE');
  expect(await failures()).toEqual([0, 0]);
});

test('a failure counts although an attempt that starts deadlocks with it', async () => {
  const database = openPatientDatabase(app.databaseUrl);
  const holder = new pg.Client({ connectionString: app.databaseUrl });
  onTestFinished(async () => {
    await holder.end();
    await database.close();
  });
  await holder.connect();
  const secret = jwtSecrets(JWT_SECRET).current;
  const keyOf = (counter: Counter) => attemptKey(counter, secret);
  const [own, ...shared] = ['uno', 'dos', 'tres']
    .map((name): Counter => ({ limit: 5, subject: [name] }))
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)) as [Counter, Counter, Counter];
  const attempts = createAttemptCounts(database.prisma, secret);
  const failing = await attempts.begin({ own, shared });
  await query(app.databaseUrl, `DELETE FROM attempts WHERE key = '${keyOf(own)}'`);
  await holder.query(`BEGIN; SELECT FROM attempts WHERE key = '${keyOf(shared[1])}' FOR UPDATE`);
  // Locks the row of `shared[0]`; will insert the row of `own`, which the failure has inserted by then.
  const starting = attempts.begin({ own, shared });
  await waitingForLock(app.databaseUrl, 1);
  const failed = failing.end('failed');
  await waitingForLock(app.databaseUrl, 2);
  await holder.query('COMMIT');
  await failed;
  await (await starting).end('unchecked');
  expect(await failures()).toEqual([1, 1, 1]);
});
