// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apolloClient, pageOutdated, serverSilent } from '../../../client/api/apolloClient.ts';
import { failureOf } from '../../../client/api/failure.ts';
import { CreateTokenDocument, DashboardDocument } from '../../../client/api/gql/graphql.ts';
import { localRecords } from '../../../client/session/localRecords.ts';
import { sessionEnd, sessionRecognised } from '../../../client/session/sessionEnd.ts';
import { refused, stubServer } from '../fakeServer.ts';

const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const TOKEN = {
  token: 'secret==',
  streamUrl: 'https://audio.example/?sign=secret==',
  lifetimeSeconds: 1_200,
};
const DASHBOARD = { session: ACCOUNT, stream: { baseUrl: 'https://audio.example/?sign=' } };

let server: ReturnType<typeof stubServer>;
type Request = (typeof server.requests)[number];

const createToken = () => apolloClient.mutate({ mutation: CreateTokenDocument });
const askDashboard = () => apolloClient.query({ query: DashboardDocument, fetchPolicy: 'network-only' });

beforeEach(() => {
  vi.useFakeTimers();
  server = stubServer();
  localRecords.keepAccount(ACCOUNT);
});

afterEach(async () => {
  await apolloClient.clearStore();
  sessionEnd(undefined);
  localStorage.clear();
  pageOutdated(false);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('each request names the account that the page shows', async () => {
  const created = createToken();
  const { options, answer } = await server.requested('CreateToken');
  expect(options.headers).toMatchObject({ 'x-account-id': 'a1' });
  answer({ data: { createToken: TOKEN } });
  await created;
});

test('the client leaves the session’s cookie to the browser', async () => {
  const created = createToken();
  const { options, answer } = await server.requested('CreateToken');
  expect(options.credentials).toBe('same-origin');
  answer({ data: { createToken: TOKEN } });
  await created;
});

test('a request is given up two seconds after the server must have answered', async () => {
  const failed = createToken().catch(failureOf);
  const { options } = await server.requested('CreateToken');
  await vi.advanceTimersByTimeAsync(12_000);
  expect(await failed).toEqual({ code: 'NO_ANSWER' });
  expect(options.signal?.aborted).toBe(true);
});

describe('without a usable answer', () => {
  test.each<[failure: string, how: (request: Request) => void]>([
    ['no answer', ({ fail }) => fail()],
    ['status 502', ({ answerStatus }) => answerStatus(502)],
    ['a portal’s page', ({ answerStatus }) => answerStatus(200)],
    ['DATABASE_UNAVAILABLE', ({ answer }) => answer(refused('DATABASE_UNAVAILABLE'))],
  ])('a query is sent again, after a longer wait each time: %s', async (_failure, how) => {
    const asked = askDashboard();
    for (const wait of [1_000, 2_000, 4_000]) {
      how(await server.requested('Dashboard'));
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(server.requests).toEqual([]);
      expect(serverSilent()).toBe(true);
      await vi.advanceTimersByTimeAsync(1);
    }
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    expect((await asked).data).toMatchObject(DASHBOARD);
    expect(serverSilent()).toBe(false);
  });

  test('a query that a limit refused is sent again after the wait that the server asked for', async () => {
    const asked = askDashboard();
    (await server.requested('Dashboard')).answer(refused('RATE_LIMITED', { retryAfterSeconds: 30 }));
    await vi.advanceTimersByTimeAsync(30_000 - 1);
    expect(server.requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_001);
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    await asked;
  });

  test('a query is sent again as soon as the network is back', async () => {
    const asked = askDashboard();
    (await server.requested('Dashboard')).fail();
    await vi.advanceTimersByTimeAsync(0);
    window.dispatchEvent(new Event('online'));
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    await asked;
  });

  test('a query is not sent again after the partner signed out', async () => {
    const failed = askDashboard().catch(failureOf);
    (await server.requested('Dashboard')).fail();
    localRecords.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toEqual([]);
    expect(await failed).toEqual({ code: 'NO_ANSWER' });
  });

  test('a mutation is not sent again', async () => {
    const failed = createToken().catch(failureOf);
    (await server.requested('CreateToken')).fail();
    expect(await failed).toEqual({ code: 'NO_ANSWER' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toEqual([]);
  });
});

describe('an operation that the server no longer understands', () => {
  test.each([
    ['Dashboard', askDashboard],
    ['CreateToken', createToken],
  ])('is not sent again, and the page is called outdated: %s', async (operation, ask) => {
    const failed = ask().catch(failureOf);
    (await server.requested(operation)).answer(refused('GRAPHQL_VALIDATION_FAILED'));
    expect(await failed).toEqual({ code: 'NEW_VERSION' });
    expect(pageOutdated()).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toEqual([]);
  });

  test('is told from one that failed', async () => {
    const failed = createToken().catch(failureOf);
    (await server.requested('CreateToken')).answer(refused('PROVIDER_UNAVAILABLE'));
    await failed;
    expect(pageOutdated()).toBe(false);
  });
});

test('an answer that the session is of another account signs out in the browser, and says why', async () => {
  const failed = createToken().catch(failureOf);
  const { answer } = await server.requested('CreateToken');
  answer(refused('UNAUTHENTICATED', { reason: 'OTHER_ACCOUNT' }));
  expect(await failed).toEqual({ code: 'OTHER_ACCOUNT' });
  expect({ ...localStorage }).toEqual({});
  expect(sessionEnd()).toBe('OTHER_ACCOUNT');
});

describe('UNAUTHENTICATED', () => {
  test.each([
    ['CreateToken', createToken],
    ['Dashboard', askDashboard],
  ])(
    'in the answer to %s also signs out in the browser, and lets the login screen say so',
    async (operation, ask) => {
      const failed = ask().catch(failureOf);
      (await server.requested(operation)).answer(refused('UNAUTHENTICATED'));
      expect(await failed).toEqual({ code: 'UNAUTHENTICATED' });
      expect({ ...localStorage }).toEqual({});
      expect(sessionEnd()).toBe('UNAUTHENTICATED');
    },
  );

  test('in the first answer after a sign-in is reported as a browser that keeps no cookies', async () => {
    sessionRecognised(false);
    const failed = createToken().catch(failureOf);
    (await server.requested('CreateToken')).answer(refused('UNAUTHENTICATED'));
    await failed;
    expect(sessionEnd()).toBe('COOKIES_BLOCKED');
  });

  test('after an answer that recognised the session is reported as an ended session', async () => {
    sessionRecognised(false);
    const asked = askDashboard();
    (await server.requested('Dashboard')).answer({ data: DASHBOARD });
    await asked;
    const failed = createToken().catch(failureOf);
    (await server.requested('CreateToken')).answer(refused('UNAUTHENTICATED'));
    await failed;
    expect(sessionEnd()).toBe('UNAUTHENTICATED');
  });

  test('in a late answer to an older session does not end the new one', async () => {
    const failed = createToken().catch(failureOf);
    const { answer } = await server.requested('CreateToken');
    localRecords.clear();
    const other = { id: 'a2', company: 'Otra Radio' };
    localRecords.keepAccount(other);
    answer(refused('UNAUTHENTICATED'));
    await failed;
    expect(localRecords.account()).toEqual(other);
  });
});

test('any other failure signs nobody out', async () => {
  const failed = createToken().catch(failureOf);
  (await server.requested('CreateToken')).answer(refused('DATABASE_UNAVAILABLE'));
  await failed;
  expect(localRecords.account()).toEqual(ACCOUNT);
});
