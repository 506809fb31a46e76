import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CreateTokenDocument, DashboardDocument } from '../../../client/api/gql/graphql.ts';
import { FakeStorage } from './fakeStorage.ts';

type Request = {
  operation: string;
  options: RequestInit;
  answer: (body: unknown) => void;
  fail: () => void;
};

const LOGGED_IN = { data: { login: { id: 'a1', company: 'Radio Demo' } } };
const SIGNED_IN = '{"logged":true,"id":"a1","company":"Radio Demo"}';

let storage: FakeStorage;
let requests: Request[];
let session: Pick<typeof import('../../../client/session/serverSession.ts'), 'logIn'>;
let signOut: () => void;
let refusal: typeof import('../../../client/session/refusedSession.ts');
let client: typeof import('../../../client/api/apolloClient.ts');

beforeEach(async () => {
  vi.useFakeTimers();
  storage = new FakeStorage({ account: SIGNED_IN, token: 't', token_expire: '0' });
  requests = [];
  vi.stubGlobal(
    'window',
    Object.assign(new EventTarget(), { localStorage: storage, navigator: { userAgent: '', onLine: true } }),
  );
  vi.stubGlobal('fetch', (_address: string, options: RequestInit) => {
    const { operationName } = JSON.parse(String(options.body));
    return new Promise<Response>((resolve, reject) => {
      requests.push({
        operation: operationName,
        options,
        answer: (body) => resolve(graphqlResponse(body)),
        fail: () => reject(new TypeError('Failed to fetch')),
      });
    });
  });
  vi.resetModules();
  session = await (await import('../../../client/api/loadApi.ts')).loadApi();
  ({ signOut } = await import('../../../client/session/signOut.ts'));
  refusal = await import('../../../client/session/refusedSession.ts');
  client = await import('../../../client/api/apolloClient.ts');
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function graphqlResponse(body: unknown): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/graphql-response+json' },
  });
}

async function requested(operation: string): Promise<Request> {
  return vi.waitFor(() => {
    const request = requests.find((each) => each.operation === operation);
    if (!request) throw new Error(`${operation} was not requested`);
    return request;
  });
}

const refused = (code: string) => ({ data: null, errors: [{ message: 'x', extensions: { code } }] });

test('a sign-in answers the id and company of the account, with the cookie left to the browser', async () => {
  const signedIn = session.logIn('demo@radio.example', 'demo-premium');
  const { options, answer } = await requested('Login');
  expect(JSON.parse(String(options.body)).variables).toEqual({
    username: 'demo@radio.example',
    password: 'demo-premium',
  });
  expect(options.credentials).toBe('same-origin');
  answer(LOGGED_IN);
  expect(await signedIn).toEqual({ id: 'a1', company: 'Radio Demo' });
});

test('a refused sign-in answers why and changes no record', async () => {
  const signedIn = session.logIn('demo@radio.example', 'wrong-password');
  (await requested('Login')).answer(refused('INVALID_CREDENTIALS'));
  expect(await signedIn).toEqual({ code: 'INVALID_CREDENTIALS' });
  expect(storage.kept.get('account')).toBe(SIGNED_IN);
});

test('a request that hangs is given up after 15 seconds', async () => {
  const signedIn = session.logIn('demo@radio.example', 'demo-premium');
  const { options } = await requested('Login');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await signedIn).toEqual({ code: 'NO_ANSWER' });
  expect(options.signal?.aborted).toBe(true);
});

test('a sign-in without a network fails for want of it', async () => {
  Object.assign(window.navigator, { onLine: false });
  const signedIn = session.logIn('demo@radio.example', 'demo-premium');
  (await requested('Login')).fail();
  expect(await signedIn).toEqual({ code: 'NO_NETWORK' });
});

test('signing out clears the records at once and tells the server', async () => {
  signOut();
  expect([...storage.kept.keys()]).toEqual(['logout_pending']);
  expect((await requested('Logout')).options.keepalive).toBe(false);
});

test('signing out before the code that tells the server is loaded is told once it is', async () => {
  vi.resetModules();
  const early = await import('../../../client/session/signOut.ts');
  early.signOut();
  expect([...storage.kept.keys()]).toEqual(['logout_pending']);
  (await requested('Logout')).answer({ data: { logout: true } });
  await vi.waitFor(() => expect([...storage.kept.keys()]).toEqual([]));
});

test('whoever signs out was not thrown out, whatever the server says to it', async () => {
  signOut();
  (await requested('Logout')).answer(refused('UNAUTHENTICATED'));
  await vi.waitFor(() => expect(storage.kept.has('logout_pending')).toBe(true));
  expect(refusal.sessionWasRefused()).toBe(false);
});

test('signing out is remembered until the server answers, even if the browser is closed before', async () => {
  signOut();
  expect([...storage.kept.keys()]).toEqual(['logout_pending']);
  (await requested('Logout')).answer({ data: { logout: true } });
  await vi.waitFor(() => expect([...storage.kept.keys()]).toEqual([]));
});

describe('a sign-out that the server has not answered yet', () => {
  let logout: Request;

  beforeEach(async () => {
    signOut();
    logout = await requested('Logout');
    requests.length = 0;
  });

  test('is given up at a sign-in, which ends that session too and whose cookie its answer would clear', async () => {
    const signedIn = session.logIn('demo@radio.example', 'demo-premium');
    expect(logout.options.signal?.aborted).toBe(true);
    (await requested('Login')).answer(LOGGED_IN);
    await signedIn;
    expect(storage.kept.has('logout_pending')).toBe(false);
  });

  test('is asked for again when that sign-in is refused', async () => {
    const signedIn = session.logIn('demo@radio.example', 'wrong-password');
    (await requested('Login')).answer(refused('INVALID_CREDENTIALS'));
    await signedIn;
    await requested('Logout');
  });

  test('is given up too when somebody signs in in another tab', async () => {
    storage.kept.set('account', SIGNED_IN);
    window.dispatchEvent(new Event('storage'));
    expect(logout.options.signal?.aborted).toBe(true);
  });

  test('is asked for anew in a request that outlives the page when that is left', async () => {
    window.dispatchEvent(new Event('pagehide'));
    expect((await requested('Logout')).options.keepalive).toBe(true);
  });

  test('is asked for anew, and no more than once at a time, when the network is back', async () => {
    window.dispatchEvent(new Event('online'));
    await requested('Logout');
    expect(logout.options.signal?.aborted).toBe(true);
  });
});

describe('a sign-out that does not reach the server', () => {
  beforeEach(async () => {
    signOut();
    (await requested('Logout')).fail();
    await vi.waitFor(() => expect(storage.kept.has('logout_pending')).toBe(true));
    requests.length = 0;
  });

  test('is told as soon as the network is back, once', async () => {
    window.dispatchEvent(new Event('online'));
    (await requested('Logout')).answer({ data: { logout: true } });
    await vi.waitFor(() => expect([...storage.kept.keys()]).toEqual([]));
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests).toHaveLength(1);
  });

  test('is told when the tool is opened the next time', async () => {
    vi.resetModules();
    await import('../../../client/session/serverSession.ts');
    await requested('Logout');
  });

  test('does not end the session of a sign-in that came after it', async () => {
    const signedIn = session.logIn('demo@radio.example', 'demo-premium');
    const { answer } = await requested('Login');
    answer(LOGGED_IN);
    await signedIn;
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests.map(({ operation }) => operation)).toEqual(['Login']);
  });
});

test.each([
  ['CreateToken', () => client.apolloClient.mutate({ mutation: CreateTokenDocument })],
  ['Dashboard', () => client.apolloClient.query({ query: DashboardDocument })],
])('a session refused in %s is over here too, which is known until it was told', async (name, ask) => {
  const asked = ask();
  (await requested(name)).answer(refused('UNAUTHENTICATED'));
  await expect(asked).rejects.toThrow();
  expect([...storage.kept.keys()]).toEqual([]);
  expect(refusal.sessionWasRefused()).toBe(true);
  refusal.forgetRefusal();
  expect(refusal.sessionWasRefused()).toBe(false);
});

test('an older session’s late refusal does not end the one that came after it', async () => {
  const created = client.apolloClient.mutate({ mutation: CreateTokenDocument });
  const { answer } = await requested('CreateToken');
  const { localRecords } = await import('../../../client/session/localRecords.ts');
  localRecords.signOut();
  localRecords.signIn({ id: 'a2', company: 'Otra Radio' });
  answer(refused('UNAUTHENTICATED'));
  await expect(created).rejects.toThrow();
  expect(localRecords.account()).toEqual({ id: 'a2', company: 'Otra Radio' });
});

test('any other failure signs nobody out', async () => {
  const created = client.apolloClient.mutate({ mutation: CreateTokenDocument });
  (await requested('CreateToken')).answer(refused('DATABASE_UNAVAILABLE'));
  await expect(created).rejects.toThrow();
  expect(storage.kept.get('account')).toBe(SIGNED_IN);
});
