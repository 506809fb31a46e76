import { expect, test } from 'vitest';
import { observedStorage } from '../../../client/browser/storage.ts';
import { createPage } from '../../../client/page/createPage.ts';
import type { CreatedToken, Requests } from '../../../client/page/environment.ts';
import type { PageEvent, SessionEvent } from '../../../client/page/pageState.ts';
import { storedRecords } from '../storedRecords.ts';

const FIRST = { id: 'a1', company: 'Radio Demo' };
const OTHER = { id: 'a2', company: 'Otra Radio' };
const OLD_BASE = 'https://old.example/?sign=';
const NEW_BASE = 'https://new.example/?sign=';

type Asked<Request extends keyof Requests> = ((answer: Awaited<ReturnType<Requests[Request]>>) => void)[];

/** A page that is signed in to the first account, and whose requests the tests answer, in any order. */
function pageOfFirst() {
  const values = new Map<string, string>();
  const map = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  storedRecords(map).keepAccount(FIRST);
  const events = new EventTarget();
  const page = createPage({
    storage: observedStorage(
      () => map,
      () => events,
    ),
    tabStorage: { getItem: () => null, setItem() {}, removeItem() {} },
    clock: {
      epochMs: () => Date.UTC(2026, 10, 21, 21),
      monotonicMs: () => 0,
      random: () => 0.5,
      after: () => () => {},
      startTicks: () => () => {},
    },
    holdLock: () => () => {},
    openAudio: () => ({ run() {}, check() {}, peak: () => null, close() {} }),
    askStream: async () => 'none',
    track() {},
  });
  const tokens: Asked<'createToken'> = [];
  const dashboards: Asked<'dashboard'> = [];
  page.connect({
    createToken: () => new Promise((answer) => tokens.push(answer)),
    dashboard: () => new Promise((answer) => dashboards.push(answer)),
  });
  const dashboard = () => {
    const state = page.state();
    if (state.kind === 'signedOut') throw new Error('signed out');
    return state.dashboard;
  };
  return {
    page,
    send: (...events: PageEvent[]) => events.forEach(page.send),
    create: () => page.send({ type: 'createPressed', isFirstClick: true }),
    tokens,
    dashboards,
    dashboard,
  };
}

const SIGNS_IN_AS_OTHER: SessionEvent[] = [{ type: 'signOutPressed' }, { type: 'signedIn', account: OTHER }];

const created = (token: string): CreatedToken => ({
  token,
  streamUrl: NEW_BASE + token,
  company: FIRST.company,
  lifetimeSeconds: 1_200,
});

const handled = () => new Promise(setImmediate);

test.each([
  ['token', created('late')],
  ['failure', { failure: { code: 'NO_ANSWER' as const } }],
])('the %s of a creation before the sign-in leaves the present one as it is', async (_what, late) => {
  const { send, create, tokens, dashboard } = pageOfFirst();
  create();
  send(...SIGNS_IN_AS_OTHER);
  create();
  tokens[0]?.(late);
  await handled();
  expect(dashboard()).toMatchObject({ token: null, outcome: null, creation: { isAutomatic: false } });
  tokens[1]?.(created('asked'));
  await handled();
  expect(dashboard()).toMatchObject({ token: { token: 'asked' }, creation: null });
});

test('an address that was asked for before the sign-in is not used', async () => {
  const { send, dashboards, dashboard } = pageOfFirst();
  send(...SIGNS_IN_AS_OTHER);
  dashboards[0]?.({ session: FIRST, stream: { baseUrl: OLD_BASE } });
  await handled();
  expect(dashboard().streamBase).toBeNull();
  dashboards[1]?.({ session: OTHER, stream: { baseUrl: NEW_BASE } });
  await handled();
  expect(dashboard().streamBase).toBe(NEW_BASE);
});

test('an address that was asked for before a token was created does not replace the token’s', async () => {
  const { create, tokens, dashboards, dashboard } = pageOfFirst();
  create();
  tokens[0]?.(created('asked'));
  await handled();
  dashboards[0]?.({ session: FIRST, stream: { baseUrl: OLD_BASE } });
  await handled();
  expect(dashboard().streamBase).toBe(NEW_BASE);
});

const ANOTHER_SESSION: [how: string, events: SessionEvent[]][] = [
  ['the partner signed in to another account', SIGNS_IN_AS_OTHER],
  ['the partner signed in here and in another tab', [{ type: 'signedIn', account: FIRST }]],
  ['another tab changed the account', [{ type: 'otherTabChangedAccount' }]],
  ['the page was in the browser’s cache', [{ type: 'pageRestored' }]],
];

test.each(ANOTHER_SESSION)('a late refusal does not end the session that began when %s', (_how, events) => {
  const { page, send } = pageOfFirst();
  const { sessionNumber } = page.state();
  send(...events);
  send({ type: 'sessionRefused', sessionNumber, code: 'UNAUTHENTICATED' });
  expect(page.state()).toMatchObject({ kind: 'signedIn', ended: null });
});

test.each(ANOTHER_SESSION)('a late answer does not name the session that began when %s', (_how, events) => {
  const { page, send } = pageOfFirst();
  const { sessionNumber } = page.state();
  send(...events, { type: 'sessionConfirmed', sessionNumber, sessionId: 's1' }, { type: 'signOutPressed' });
  expect(page.state().signingOut).toMatchObject({ session: null });
});

test('a late answer does not show that the browser keeps the cookie of the next session', () => {
  const { page, send } = pageOfFirst();
  const { sessionNumber } = page.state();
  send(...SIGNS_IN_AS_OTHER, { type: 'sessionConfirmed', sessionNumber, sessionId: 's1' });
  send({ type: 'sessionRefused', sessionNumber: page.state().sessionNumber, code: 'UNAUTHENTICATED' });
  expect(page.state()).toMatchObject({ kind: 'signedOut', end: 'COOKIES_BLOCKED' });
});
