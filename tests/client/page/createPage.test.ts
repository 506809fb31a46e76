import { describe, expect, test, vi } from 'vitest';
import type { Hint, View } from '../../../client/dashboard/view.ts';
import type { Account } from '../../../client/page/records.ts';
import { sealOf, sealText } from '../../../client/page/tokenSeal.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import { madeUpBrowser, type Tab } from './model/madeUpBrowser.ts';

async function twoTabsThatPlay(chanceSeed = 0) {
  const browser = madeUpBrowser(chanceSeed, () => undefined);
  const [first, second] = [browser.tab(0), browser.tab(1)];
  await browser.passes(3_000);
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  await browser.passes(5_000);
  first.page.send({ type: 'playPressed' });
  await browser.passes(5_000);
  return { browser, first, second };
}

test('a page that was loaded again tells that sound was wanted', async () => {
  const { browser, first } = await twoTabsThatPlay();
  browser.reload(first);
  await browser.passes(100);
  expect(browser.tab(0).page.shown()?.player.obstacle).toBe('reloaded');
});

test('a page that was loaded again plays while our server is away', async () => {
  const { browser, first } = await twoTabsThatPlay();
  browser.setServer('html');
  browser.reload(first);
  await browser.passes(3_000);
  browser.tab(0).page.send({ type: 'playPressed' });
  await browser.passes(5_000);
  expect(browser.tab(0).page.shown()?.view.situation).toBe('playing');
});

test('a page that was loaded again alarms while nobody tells it the address', async () => {
  const { browser, first } = await twoTabsThatPlay();
  browser.tabStorageOf(first).removeItem('stream_base');
  browser.setServer('html');
  browser.reload(first);
  await browser.passes(3_000);
  browser.tab(0).page.send({ type: 'playPressed' });
  await browser.passes(3_000);
  expect(browser.tab(0).page.shown()?.view).toMatchObject({ situation: 'connecting', alarm: 'hint' });
});

test.each<[what: string, stored: string]>([
  ['of another account', '{"account":"a2","base":"https://audio9.example/live?sign="}'],
  ['that is no web address', '{"account":"a1","base":"data:audio/mpeg,"}'],
  ['that cannot be read', '{'],
])('a stored address is not taken over: one %s', async (_what, stored) => {
  const { browser, first } = await twoTabsThatPlay();
  browser.setServer('html');
  browser.tabStorageOf(first).setItem('stream_base', stored);
  browser.reload(first);
  expect(browser.tab(0).page.shown()?.streamBase).toBeNull();
});

test.each<[how: string, ends: (tabs: Tabs) => void]>([
  ['a sign-out', ({ first }) => first.page.signOut()],
  ['a sign-out in another tab', ({ second }) => second.page.signOut()],
  ['the end of the session', ({ browser, second }) => browser.storageOf(second).removeItem('account')],
])('the stored address is deleted with the token: %s', async (_how, ends) => {
  const tabs = await twoTabsThatPlay();
  const stored = () => tabs.browser.tabStorageOf(tabs.first).getItem('stream_base');
  expect(stored()).toContain('audio0.example');
  ends(tabs);
  await tabs.browser.passes(3_000);
  expect(stored()).toBeNull();
});

test.each([
  ['before the page asks', 0],
  ['while it waits for the lock', 1],
])('a page that was loaded again is at rest if another tab plays: %s', async (_when, askedMs) => {
  const { browser, first, second } = await twoTabsThatPlay();
  browser.leave(first);
  await browser.passes(3_000);
  const playsInSecond = () => second.page.send({ type: 'playPressed' });
  if (askedMs === 0) playsInSecond();
  browser.reload(first);
  await browser.passes(askedMs);
  if (askedMs > 0) playsInSecond();
  await browser.passes(3_000);
  expect(browser.tab(0).page.shown()?.player).toMatchObject({ wanted: false, obstacle: null });
  expect(second.page.shown()?.player.wanted).toBe(true);
});

test.each([
  [399, true],
  [400, false],
])('at a second press %i ms after play the sound is still wanted: %s', async (ms, wanted) => {
  const { browser, second } = await twoTabsThatPlay();
  second.page.send({ type: 'playPressed' });
  await browser.passes(ms);
  second.page.send({ type: 'pausePressed' });
  expect(second.page.shown()?.player.wanted).toBe(wanted);
});

test.each([
  [100, true],
  [500, false],
])(
  'two presses within %i ms that a slow computer handles a second apart: the sound is still wanted: %s',
  async (ms, wanted) => {
    const { browser, second } = await twoTabsThatPlay();
    const at = browser.world.nowMs;
    second.page.send({ type: 'playPressed', at });
    await browser.passes(1_000);
    second.page.send({ type: 'pausePressed', at: at + ms });
    expect(second.page.shown()?.player.wanted).toBe(wanted);
  },
);

test('a press of another button in between makes a press one of its own', async () => {
  const { browser, first } = await twoTabsThatPlay();
  first.page.send({ type: 'pausePressed' });
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  first.page.send({ type: 'playPressed' });
  expect(first.page.shown()?.player.wanted).toBe(true);
});

test('a failed creation is no longer told once another tab has made a token', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  browser.setServer('providerFails');
  first.page.createToken();
  await browser.passes(5_000);
  expect(first.page.shown()?.failure).not.toBeNull();
  browser.setServer('answers');
  second.page.createToken();
  await browser.passes(5_000);
  expect(first.page.shown()).toMatchObject({ token: { token: 't2' }, failure: null });
});

test('lost sound has a token within a minute of the network’s return', async () => {
  const { browser, first } = await twoTabsThatPlay();
  first.page.setAutoCreate(true);
  browser.setServer('offline');
  browser.setStream('hangs');
  const connection = browser.connectionOf(first);
  if (connection) browser.faults.lost(first, connection);
  await browser.passes(30 * MINUTE_MS);
  browser.setServer('answers');
  await browser.passes(MINUTE_MS);
  expect(first.page.shown()?.token?.token).toBe('t2');
});

test('a token that this page creates is shown in one step', async () => {
  const { browser, first } = await twoTabsThatPlay();
  const seen = new Set<unknown>();
  first.page.subscribe(() => seen.add(first.page.shown()?.token));
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  await browser.passes(5_000);
  expect([...seen]).toEqual([
    { token: 't1', expiresAt: expect.any(Number) },
    { token: 't2', expiresAt: browser.tokens.get('t2')?.expiresAt },
  ]);
});

test('a token that another program writes is believed after a second', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  const before = second.page.shown()?.token;
  const written = { token: 'theirs', expiresAt: browser.epochMs() + TOKEN_LIFETIME_MS };
  const storage = browser.storageOf(first);
  storage.setItem('token_expire', String(written.expiresAt));
  storage.setItem('token', written.token);
  // The longest way of a change to another tab.
  await browser.passes(700);
  expect(second.page.shown()?.token).toEqual(before);
  await browser.passes(1_700);
  expect(second.page.shown()?.token).toEqual(written);
});

test('a token keeps its expiry although another program writes another one', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  const made = second.page.shown()?.token;
  browser.storageOf(first).setItem('token_expire', String(browser.epochMs() + TOKEN_LIFETIME_MS));
  await browser.passes(3_000);
  expect(second.page.shown()?.token).toEqual(made);
});

test('a token that a late tab marked as expired is stored again', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  const made = second.page.shown()?.token;
  const late = { token: 'before', expiresAt: 0 };
  const storage = browser.storageOf(first);
  storage.setItem('token_expire', '0');
  storage.setItem('token_seal', sealText(sealOf(late, 'a1')));
  await browser.passes(3_000);
  expect(second.page.shown()?.token).toEqual(made);
  expect(browser.recordsOf(first).read()).toMatchObject({ token: made, seal: 'fits' });
});

test('an expiry that another program set to 0 is believed once it has stood for a second', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  await browser.passes(MINUTE_MS);
  browser.unsetExpiry();
  await browser.passes(900);
  expect(first.page.shown()?.token?.expiresAt).not.toBe(0);
  await browser.passes(2_000);
  for (const { page } of [first, second]) expect(page.shown()?.token).toEqual({ token: 't1', expiresAt: 0 });
  expect(browser.recordsOf(first).read()).toMatchObject({ token: { expiresAt: 0 }, seal: 'fits' });
});

test('a late tab that marks an older token as expired does not cost the one just made', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  await browser.passes(5_000);
  browser.lateTabExpires();
  await browser.passes(5_000);
  for (const { page } of [first, second])
    expect(page.shown()?.token).toEqual({ token: 't2', expiresAt: browser.tokens.get('t2')?.expiresAt });
});

const earlierIn = (tab: Tab) => tab.page.shown()?.earlier.map(({ token }) => token);

/** The first tab replaces its token, and is loaded again later. */
async function replacedAndReloaded(acts: (tabs: Awaited<ReturnType<typeof twoTabsThatPlay>>) => void) {
  const tabs = await twoTabsThatPlay();
  const { browser, first } = tabs;
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  await browser.passes(5_000);
  browser.leave(first);
  acts(tabs);
  await browser.passes(3_000);
  browser.reload(first);
  return { browser, first: browser.tab(0), second: tabs.second };
}

test('a replaced token outlives a reload of its tab until it expires', async () => {
  const { browser, first } = await replacedAndReloaded(() => undefined);
  expect([earlierIn(first), first.page.shown()?.token?.token]).toEqual([['t1'], 't2']);
  await browser.passes(20 * MINUTE_MS);
  browser.reload(first);
  expect(earlierIn(browser.tab(0))).toEqual([]);
});

test('a replaced token is deleted if a page finds that another tab signed out', async () => {
  const { browser, first } = await replacedAndReloaded(({ second }) => second.page.signOut());
  expect(first.page.end()).toBeNull();
  expect(browser.tabStorageOf(first).getItem('earlier_tokens')).toBeNull();
});

test('a replaced token is deleted if a page finds another account', async () => {
  const { browser, first } = await replacedAndReloaded(({ browser, second }) =>
    browser.recordsOf(second).keepAccount({ id: 'a2', company: 'Otra Radio' }),
  );
  expect(first.page.shown()?.account.id).toBe('a2');
  expect(browser.tabStorageOf(first).getItem('earlier_tokens')).toBeNull();
});

test('a sign-out deletes the replaced tokens', async () => {
  const { browser, first } = await replacedAndReloaded(() => undefined);
  first.page.signOut();
  expect(browser.tabStorageOf(first).getItem('earlier_tokens')).toBeNull();
});

test('a listener that throws does not keep a change from the others', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const { first } = await twoTabsThatPlay();
  const heard = vi.fn();
  first.page.subscribe(() => {
    throw new TypeError('made up');
  });
  first.page.subscribe(heard);
  first.page.send({ type: 'pausePressed' });
  expect(heard).toHaveBeenCalledOnce();
});

const OTHER = { id: 'a2', company: 'Otra Radio' };
type Tabs = Awaited<ReturnType<typeof twoTabsThatPlay>>;

test.each<[how: string, signsIn: (tabs: Tabs) => void]>([
  ['in another tab', ({ browser, second }) => browser.recordsOf(second).keepAccount(OTHER)],
  ['here', ({ first }) => first.page.send({ type: 'signedIn', account: OTHER })],
])('nothing of one account is left to another that signs in: %s', async (_where, signsIn) => {
  const tabs = await twoTabsThatPlay();
  const { browser, first } = tabs;
  browser.sessions.set(browser.world.cookie, OTHER.id);
  signsIn(tabs);
  await browser.passes(5_000);
  expect(first.page.shown()).toMatchObject({
    account: OTHER,
    token: null,
    earlier: [],
    player: { wanted: false, hasPlayed: false },
  });
  expect(first.connections.size).toBe(0);
  expect(browser.recordsOf(first).read()).toMatchObject({ account: OTHER, token: null });
});

/** The account’s record is deleted, and the sound of the first tab plays on. */
async function sessionEndedInFirst() {
  const tabs = await twoTabsThatPlay();
  tabs.browser.storageOf(tabs.second).removeItem('account');
  await tabs.browser.passes(3_000);
  expect(tabs.first.page.shown()).toMatchObject({ sessionEnded: true, token: { token: 't1' } });
  return tabs;
}

test('a token that was left without an account is neither shown to the next one nor kept', async () => {
  const { browser, first } = await sessionEndedInFirst();
  first.page.send({ type: 'pausePressed' });
  void first.page.signIn(OTHER);
  await browser.passes(5_000);
  expect(first.page.shown()).toMatchObject({ account: OTHER, token: null });
  expect(browser.stored.has('token')).toBe(false);
});

test('a token that comes after the session’s end is not shown, and the reason is', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  browser.storageOf(second).removeItem('account');
  await browser.passes(5_000);
  expect(browser.tokens.has('t2')).toBe(true);
  expect(first.page.shown()).toMatchObject({
    sessionEnded: true,
    token: { token: 't1' },
    failure: { code: 'UNAUTHENTICATED' },
  });
});

test('replaced tokens are deleted when the session ends, although the sound plays on', async () => {
  const { browser, first, second } = await twoTabsThatPlay();
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  await browser.passes(5_000);
  first.page.send({ type: 'playPressed' });
  await browser.passes(5_000);
  const stored = () => browser.tabStorageOf(first).getItem('earlier_tokens');
  expect(stored()).not.toBeNull();
  browser.storageOf(second).removeItem('account');
  await browser.passes(3_000);
  expect([first.page.shown()?.sessionEnded, stored()]).toEqual([true, null]);
});

test('a token that is deleted after the session’s end is not stored again', async () => {
  const { browser, first, second } = await sessionEndedInFirst();
  for (const key of ['token', 'token_expire', 'token_seal']) browser.storageOf(second).removeItem(key);
  await browser.passes(3_000);
  expect(first.page.shown()?.token?.token).toBe('t1');
  expect(browser.stored.has('token')).toBe(false);
});

test('a token that another tab writes before its account is left alone after the session’s end', async () => {
  const { browser, first, second } = await sessionEndedInFirst();
  const storage = browser.storageOf(second);
  storage.setItem('token_expire', String(browser.epochMs() + TOKEN_LIFETIME_MS));
  storage.setItem('token', 'other');
  await browser.passes(3_000);
  expect(first.page.shown()?.token?.token).toBe('t1');
  expect(browser.stored.get('token')).toBe('other');
});

test('a refused session leaves neither account nor token on record', async () => {
  const { browser, first } = await twoTabsThatPlay();
  browser.sessions.clear();
  browser.world.pressedAt = browser.world.nowMs;
  first.page.createToken();
  await browser.passes(5_000);
  expect(browser.recordsOf(first).read()).toMatchObject({ account: null, token: null });
});

describe('sound that the end of the session ended', () => {
  const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
  const told = ({ page }: Tab) => [page.end(), page.hasCutSound()];
  const wanted = ({ browser }: Tabs) => browser.tabStorageOf(browser.tab(0)).getItem('sound_wanted');

  async function loadedAgain() {
    const tabs = await sessionEndedInFirst();
    tabs.browser.reload(tabs.first);
    await tabs.browser.passes(3_000);
    return { ...tabs, first: tabs.browser.tab(0) };
  }

  async function signsIn({ browser, first }: Tabs, account: Account): Promise<View | undefined> {
    void first.page.signIn(account);
    await browser.passes(5_000);
    return first.page.shown()?.view;
  }

  test('is told after each reload of the login screen', async () => {
    const { browser, first } = await loadedAgain();
    expect(told(first)).toEqual(['UNAUTHENTICATED', true]);
    browser.reload(first);
    expect(told(browser.tab(0))).toEqual(['UNAUTHENTICATED', true]);
  });

  test('is told until play is pressed once the same account is back', async () => {
    const tabs = await loadedAgain();
    expect(await signsIn(tabs, ACCOUNT)).toMatchObject({ hint: 'UNAUTHENTICATED', alarm: 'hint' });
    const { browser, first } = tabs;
    browser.world.pressedAt = browser.world.nowMs;
    first.page.createToken();
    await browser.passes(5_000);
    first.page.send({ type: 'playPressed' });
    await browser.passes(5_000);
    expect(first.page.shown()?.view).toMatchObject({ situation: 'playing', alarm: 'none' });
  });

  test('is told no longer after a press that ends the alarm', async () => {
    const tabs = await loadedAgain();
    expect(await signsIn(tabs, ACCOUNT)).toMatchObject({ alarmButton: 'dismiss' });
    tabs.first.page.send({ type: 'pausePressed' });
    expect(tabs.first.page.shown()?.view).toMatchObject({ situation: 'off', alarm: 'none' });
    expect(wanted(tabs)).toBeNull();
  });

  test('is no matter of another account that signs in here', async () => {
    const tabs = await loadedAgain();
    expect(await signsIn(tabs, OTHER)).toMatchObject({ situation: 'off', alarm: 'none' });
    expect(wanted(tabs)).toBeNull();
  });

  test('leaves nothing after a sign-out', async () => {
    const tabs = await loadedAgain();
    await signsIn(tabs, ACCOUNT);
    tabs.first.page.signOut();
    expect([wanted(tabs), told(tabs.first)]).toEqual([null, [null, false]]);
  });

  test('is not told in the copy of a tab in which it plays on', async () => {
    const { browser, first } = await sessionEndedInFirst();
    browser.stored.set('account', JSON.stringify({ logged: true, ...ACCOUNT }));
    browser.openBeside(first, true);
    browser.stored.delete('account');
    const copy = browser.tab(1);
    browser.reload(copy);
    expect(told(browser.tab(1))).toEqual([null, false]);
  });

  test.each<[what: string, ends: (tabs: Tabs) => void, hint: Hint]>([
    [
      'another account that signs in',
      ({ browser, second }) => browser.recordsOf(second).keepAccount(OTHER),
      'OTHER_ACCOUNT',
    ],
    [
      'a sign-out and in',
      ({ browser, second }) => {
        second.page.signOut();
        void browser.signIn(second, 'a1');
      },
      'SIGNED_OUT_ELSEWHERE',
    ],
  ])('in another tab, by %s, is told', async (_what, ends, hint) => {
    const tabs = await twoTabsThatPlay();
    tabs.browser.sessions.set(tabs.browser.world.cookie, OTHER.id);
    ends(tabs);
    await tabs.browser.passes(5_000);
    expect(tabs.first.page.shown()?.view).toMatchObject({ hint, alarm: 'hint', status: 'needsToken' });
  });

  test('is told on the login screen though it was missing already', async () => {
    const { browser, first, second } = await twoTabsThatPlay();
    await browser.passes(21 * MINUTE_MS);
    const connection = browser.connectionOf(first);
    if (connection) browser.faults.lost(first, connection);
    await browser.passes(3_000);
    second.page.signOut();
    await browser.passes(3_000);
    expect(told(first)).toEqual(['SIGNED_OUT_ELSEWHERE', true]);
  });
});
