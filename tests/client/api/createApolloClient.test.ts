import { beforeEach, describe, expect, test, vi } from 'vitest';
import { failureOf } from '../../../client/api/failureOfResponse.ts';
import { CreateTokenDocument, DashboardDocument } from '../../../client/generated/graphql.ts';
import type { ServerTrouble } from '../../../client/page/pageState.ts';
import { LONGEST_CREATION_MS } from '../../../shared/creationTime.ts';
import { fakeServer, refused } from '../fakeServer.tsx';
import { byOtherTab, storedRecords } from '../storedRecords.ts';

const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const DASHBOARD = { session: ACCOUNT, stream: { baseUrl: 'https://audio.example/?sign=' } };

const server = fakeServer();
type Request = (typeof server.requests)[number];

const signIn = () => server.page().send({ type: 'signedIn', account: ACCOUNT });
const end = () => {
  const state = server.page().state();
  return state.kind === 'signedOut' ? state.end : null;
};
const askDashboard = () => server.client().query({ query: DashboardDocument, fetchPolicy: 'network-only' });

async function createTokenFails(how: (request: Request) => void) {
  const failed = server.client().mutate({ mutation: CreateTokenDocument }).catch(failureOf);
  how(await server.requested('CreateToken'));
  return failed;
}

const answers =
  (...refusal: Parameters<typeof refused>) =>
  ({ answer }: Request) =>
    answer(refused(...refusal));

beforeEach(() => {
  vi.useFakeTimers();
  storedRecords().keepAccount(ACCOUNT);
});

test('each request names the account that the page shows', async () => {
  await createTokenFails(({ options, fail }) => {
    expect(options.headers).toMatchObject({ 'x-account-id': 'a1' });
    expect(options.credentials).toBe('same-origin');
    fail();
  });
});

test('equal queries of two accounts are asked one by one', async () => {
  void askDashboard().catch(failureOf);
  const first = await server.requested('Dashboard');
  byOtherTab((records) => records.keepAccount({ id: 'a2', company: 'Otra Radio' }));
  const asked = askDashboard();
  const second = await server.requested('Dashboard');
  expect(second.options.headers).toMatchObject({ 'x-account-id': 'a2' });
  const session = { id: 'a2', company: 'Otra Radio' };
  second.answer({ data: { ...DASHBOARD, session } });
  first.answer({ data: DASHBOARD });
  expect((await asked).data?.session).toMatchObject(session);
});

test('a request is given up two seconds after the server must have answered', async () => {
  const failed = server.client().mutate({ mutation: CreateTokenDocument }).catch(failureOf);
  const { options } = await server.requested('CreateToken');
  await vi.advanceTimersByTimeAsync(LONGEST_CREATION_MS + 2_000);
  expect(await failed).toEqual({ code: 'NO_ANSWER' });
  expect(options.signal?.aborted).toBe(true);
});

describe('without a usable answer', () => {
  test.each<[failure: string, how: (request: Request) => void, trouble: ServerTrouble]>([
    ['no answer', ({ fail }) => fail(), 'serverUnreachable'],
    ['a portal’s page', ({ answerStatus }) => answerStatus(200), 'otherPage'],
    ['a proxy’s 502', ({ answerStatus }) => answerStatus(502), 'serverUnreachable'],
    ['a proxy’s 403', ({ answerStatus }) => answerStatus(403), 'otherPage'],
    ['a proxy’s 404', ({ answerStatus }) => answerStatus(404), 'otherPage'],
    ['cookies that are too large', ({ answerStatus }) => answerStatus(431), 'tooManyCookies'],
    ['a proxy’s JSON', ({ answer }) => answer({ errors: [{ message: 'Forbidden' }] }), 'serverFails'],
    ['JSON without our data', ({ answer }) => answer([]), 'serverUnreachable'],
    ['JSON with other data', ({ answer }) => answer({ data: { status: 'blocked' } }), 'serverUnreachable'],
    ['a proxy’s 429', ({ answerStatus }) => answerStatus(429), 'serverFails'],
    ['DATABASE_UNAVAILABLE', answers('DATABASE_UNAVAILABLE'), 'serverFails'],
  ])('a query is sent again, after a longer wait each time: %s', async (_failure, how, trouble) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    expect(server.page().state().trouble).toBeNull();
    const asked = askDashboard();
    for (const wait of [1_000, 2_000, 4_000, 8_000, 16_000, 22_500]) {
      how(await server.requested('Dashboard'));
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(server.requests).toEqual([]);
      expect(server.page().state().trouble).toBe(trouble);
      await vi.advanceTimersByTimeAsync(1);
    }
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    expect((await asked).data).toMatchObject(DASHBOARD);
    expect(server.page().state().trouble).toBeNull();
    expect(server.page().state().isOutdated).toBe(false);
  });

  test('a limited query is sent again after the server’s wait', async () => {
    askDashboard();
    answers('RATE_LIMITED', { retryAfterSeconds: 30 })(await server.requested('Dashboard'));
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(30_000 - 1);
    expect(server.requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_001);
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
  });

  test('a query that a proxy puts off is sent again after its wait', async () => {
    askDashboard();
    (await server.requested('Dashboard')).answerStatus(503, { 'retry-after': '30' });
    await vi.advanceTimersByTimeAsync(30_000 - 1);
    expect(server.requests).toEqual([]);
    expect(server.page().state().trouble).toBe('serverFails');
    await vi.advanceTimersByTimeAsync(1_001);
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
  });

  test('a query whose answer never came is sent again', async () => {
    askDashboard();
    await server.requested('Dashboard');
    await vi.advanceTimersByTimeAsync(LONGEST_CREATION_MS + 2_000 + 2_000);
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
  });

  test('a query is sent again as soon as the network is back', async () => {
    askDashboard();
    (await server.requested('Dashboard')).fail();
    await vi.advanceTimersByTimeAsync(0);
    window.dispatchEvent(new Event('online'));
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
  });

  test('a query is not sent again after the partner signed out', async () => {
    const failed = askDashboard().catch(failureOf);
    (await server.requested('Dashboard')).fail();
    byOtherTab((records) => records.clear());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toEqual([]);
    expect(await failed).toEqual({ code: 'NO_ANSWER' });
  });

  test.each<[failure: string, how: (request: Request) => void, code: string]>([
    ['no answer', ({ fail }) => fail(), 'NO_ANSWER'],
    ['a proxy’s 502', ({ answerStatus }) => answerStatus(502), 'NO_ANSWER'],
    ['a gateway’s page', ({ answerStatus }) => answerStatus(200), 'OTHER_PAGE'],
  ])('a mutation is not sent again: %s', async (_failure, how, code) => {
    expect(await createTokenFails(how)).toEqual({ code });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toEqual([]);
    expect(server.page().state().isOutdated).toBe(false);
  });
});

test('an operation that the server no longer understands makes the page outdated', async () => {
  const failed = askDashboard().catch(failureOf);
  answers('GRAPHQL_VALIDATION_FAILED')(await server.requested('Dashboard'));
  expect(await failed).toEqual({ code: 'NEW_VERSION' });
  expect(server.page().state().isOutdated).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.requests).toEqual([]);
});

describe('a refused session', () => {
  test.each([
    [{}, 'UNAUTHENTICATED'],
    [{ reason: 'OTHER_ACCOUNT' }, 'OTHER_ACCOUNT'],
  ])('with %j signs out in the browser because of %s', async (extensions, code) => {
    expect(await createTokenFails(answers('UNAUTHENTICATED', extensions))).toEqual({ code });
    expect({ ...localStorage }).toEqual({});
    expect(end()).toBe(code);
  });

  test('in the first answer after a sign-in means that the browser keeps no cookies', async () => {
    signIn();
    await createTokenFails(answers('UNAUTHENTICATED'));
    expect(end()).toBe('COOKIES_BLOCKED');
  });

  test('after an answer that recognised it has ended', async () => {
    signIn();
    const asked = askDashboard();
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    await asked;
    await createTokenFails(answers('UNAUTHENTICATED'));
    expect(end()).toBe('UNAUTHENTICATED');
  });

  test.each<[session: string, begins: () => void, told: string]>([
    ['that began in this page', signIn, 'COOKIES_DELETED'],
    ['that was there before', () => {}, 'UNAUTHENTICATED'],
    [
      'that another tab began',
      () => {
        signIn();
        byOtherTab((records) => records.clear());
        byOtherTab((records) => records.keepAccount(ACCOUNT));
      },
      'UNAUTHENTICATED',
    ],
  ])('whose cookie is gone: one %s', async (_session, begins, told) => {
    begins();
    const asked = askDashboard();
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    await asked;
    await createTokenFails(answers('UNAUTHENTICATED', { reason: 'NO_CREDENTIALS' }));
    expect(end()).toBe(told);
  });

  test('signs out too after its company was renamed', async () => {
    await createTokenFails(({ answer }) => {
      storedRecords().keepAccount({ ...ACCOUNT, company: 'Radio Demo FM' });
      answer(refused('UNAUTHENTICATED'));
    });
    expect(storedRecords().read().account).toBeNull();
  });

  test('of an earlier account does not end the new one', async () => {
    const other = { id: 'a2', company: 'Otra Radio' };
    await createTokenFails(({ answer }) => {
      byOtherTab((records) => records.keepAccount(other));
      answer(refused('UNAUTHENTICATED'));
    });
    expect(storedRecords().read().account).toEqual(other);
  });
});

test('any other failure ends neither the session nor the page', async () => {
  await createTokenFails(answers('PROVIDER_UNAVAILABLE'));
  expect(storedRecords().read().account).toEqual(ACCOUNT);
  expect(server.page().state().isOutdated).toBe(false);
});
