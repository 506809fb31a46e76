import { act, render, renderHook, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DashboardDocument } from '../../../client/generated/graphql.ts';
import { OperatorNotice } from '../../../client/layout/OperatorNotice.tsx';
import { useSignIn } from '../../../client/login/useSignIn.ts';
import { fakeServer, refused } from '../fakeServer.tsx';
import { byOtherTab, storedRecords } from '../storedRecords.ts';

const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const SIGNED_IN = { account: '{"logged":true,"id":"a1","company":"Radio Demo"}' };
const LOGGED_IN = { data: { login: ACCOUNT } };

const server = fakeServer();

function openLogin() {
  const { result, unmount } = renderHook(useSignIn, { wrapper: server.Wrapper });
  return {
    unmount,
    failure: () => result.current.failure,
    signingIn: () => result.current.signingIn,
    signIn: () => act(() => result.current.signIn('demo@radio.example', 'demo-premium')),
  };
}

const stored = () => ({ ...localStorage });

test('the login screen leaves the polls for the operator’s notice as they are', async () => {
  vi.useFakeTimers();
  render(<OperatorNotice />, { wrapper: server.Wrapper });
  openLogin();
  for (const text of ['Texto', 'Otro']) {
    const notice = { text, since: '2026-11-22T20:21:00Z' };
    (await server.requested('Notice')).answer({ data: { notice } });
    await vi.advanceTimersByTimeAsync(0);
    expect(screen.queryByText(text)).not.toBeNull();
    openLogin();
    await vi.advanceTimersByTimeAsync(30_000);
  }
});

test('only one sign-in is sent at a time', async () => {
  const login = openLogin();
  login.signIn();
  login.signIn();
  await server.requested('Login');
  expect(server.requests).toEqual([]);
});

test('a sign-in is under way until the dashboard takes its place', async () => {
  const login = openLogin();
  login.signIn();
  (await server.requested('Login')).answer(LOGGED_IN);
  await waitFor(() => expect(stored()).toEqual(SIGNED_IN));
  expect(login.signingIn()).toBe(true);
  act(() => byOtherTab((records) => records.clear()));
  expect(login.signingIn()).toBe(false);
});

test('a sign-out left pending names its account', async () => {
  localStorage.setItem('logout_pending', 'a1');
  openLogin();
  const { options } = await server.requested('Logout');
  expect(new Headers(options.headers).get('x-account-id')).toBe('a1');
});

describe('a sign-out names', () => {
  beforeEach(() => storedRecords().keepAccount(ACCOUNT));

  const askDashboard = async (session: string) => {
    const asked = server.client().query({ query: DashboardDocument, fetchPolicy: 'network-only' });
    const data = { session: ACCOUNT, stream: { baseUrl: 'https://audio.example/?sign=' } };
    (await server.requested('Dashboard')).answer({ data }, { 'x-session-id': session });
    await asked;
  };
  const namedSession = async () => {
    openLogin();
    const { options, answer } = await server.requested('Logout');
    answer({ data: { logout: false } });
    await waitFor(() => expect(stored()).toEqual({}));
    return new Headers(options.headers).get('x-session-id');
  };

  test('the session of the last answer', async () => {
    await askDashboard('s1');
    await askDashboard('s2');
    server.page().send({ type: 'signOutPressed' });
    expect(await namedSession()).toBe('s2');
  });

  test('no session that a sign-in in this tab may have replaced', async () => {
    await askDashboard('s1');
    for (const type of ['signOutPressed', 'signedIn'] as const)
      server.page().send(type === 'signedIn' ? { type, account: ACCOUNT } : { type });
    server.page().send({ type: 'signOutPressed' });
    expect(await namedSession()).toBeNull();
  });

  test.each([
    ['a sign-in in another tab', () => new StorageEvent('storage', { key: 'account' })],
    ['the back/forward cache', () => new PageTransitionEvent('pageshow', { persisted: true })],
  ])('no session after %s', async (_what, event) => {
    await askDashboard('s1');
    window.dispatchEvent(event());
    server.page().send({ type: 'signOutPressed' });
    expect(await namedSession()).toBeNull();
  });
});

describe('a sign-out', () => {
  beforeEach(() => {
    storedRecords().keepAccount(ACCOUNT);
    server.page().send({ type: 'signOutPressed' });
  });

  test('deletes the session’s data from the cache', () => {
    const data = {
      session: { __typename: 'Session' as const, id: 'a1', company: 'Radio Demo' },
      stream: { baseUrl: 'https://audio.example/?sign=' },
    };
    server.client().writeQuery({ query: DashboardDocument, data });
    openLogin();
    expect(JSON.stringify(server.client().extract())).not.toMatch(/Radio Demo|audio\.example/);
  });

  test('hides how the session ended', () => {
    server.page().send({ type: 'signedIn', account: ACCOUNT });
    byOtherTab((records) => records.clear());
    server.page().send({ type: 'signedIn', account: ACCOUNT });
    server.page().send({ type: 'signOutPressed' });
    expect(openLogin().failure()).toBeUndefined();
  });

  test('is never reported as a refused session', async () => {
    const login = openLogin();
    (await server.requested('Logout')).answer(refused('UNAUTHENTICATED'));
    await waitFor(() => expect(stored()).toEqual({ logout_pending: 'a1' }));
    expect(login.failure()).toBeUndefined();
  });

  test('is repeated until the server confirms it', async () => {
    vi.useFakeTimers();
    openLogin();
    (await server.requested('Logout')).answer(refused('DATABASE_UNAVAILABLE'));
    await vi.advanceTimersByTimeAsync(1_000);
    (await server.requested('Logout')).fail();
    await vi.advanceTimersByTimeAsync(2_000);
    (await server.requested('Logout')).answer({ data: { logout: true } });
    await expect.poll(stored).toEqual({});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toEqual([]);
  });

  test('stays pending when the server confirms an earlier one', async () => {
    openLogin();
    const { answer } = await server.requested('Logout');
    localStorage.setItem('logout_session', 's2');
    answer({ data: { logout: true } });
    const confirmed = vi.spyOn(server.page(), 'send');
    await waitFor(() => expect(confirmed).toHaveBeenCalled());
    expect(stored()).toEqual({ logout_pending: 'a1', logout_session: 's2' });
  });

  test('is sent again in a way that outlives the page when the page is left', async () => {
    openLogin();
    await server.requested('Logout');
    window.dispatchEvent(new Event('pagehide'));
    expect((await server.requested('Logout')).options.keepalive).toBe(true);
  });

  test('is cancelled by a sign-in', async () => {
    const login = openLogin();
    const logout = await server.requested('Logout');
    vi.useFakeTimers();
    login.signIn();
    expect(logout.options.signal?.aborted).toBe(true);
    (await server.requested('Login')).answer(LOGGED_IN);
    await expect.poll(stored).toEqual(SIGNED_IN);
    await vi.advanceTimersByTimeAsync(60_000);
    window.dispatchEvent(new Event('online'));
    expect(server.requests).toEqual([]);
  });

  test('is sent again if the sign-in that cancelled it is refused', async () => {
    const login = openLogin();
    await server.requested('Logout');
    login.signIn();
    (await server.requested('Login')).answer(refused('INVALID_CREDENTIALS'));
    await server.requested('Logout');
  });

  test('is not sent again after a refused sign-in if another tab has signed in', async () => {
    const login = openLogin();
    await server.requested('Logout');
    login.signIn();
    const { answer } = await server.requested('Login');
    act(() => byOtherTab((records) => records.keepAccount(ACCOUNT)));
    answer(refused('INVALID_CREDENTIALS'));
    await waitFor(() => expect(login.failure()).toEqual({ code: 'INVALID_CREDENTIALS' }));
    expect(server.requests).toEqual([]);
  });

  test('is cancelled when the login screen closes', async () => {
    const login = openLogin();
    const logout = await server.requested('Logout');
    login.unmount();
    expect(logout.options.signal?.aborted).toBe(true);
  });
});
