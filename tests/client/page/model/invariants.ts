import { dashboardTexts } from '../../../../client/dashboard/dashboardTexts.ts';
import type { View } from '../../../../client/dashboard/view.ts';
import { STORAGE_KEYS } from '../../../../client/page/storageKeys.ts';
import { tokenState } from '../../../../client/page/tokenState.ts';
import { ACCOUNTS, type AccountId, type MadeUpBrowser, type Tab } from './madeUpBrowser.ts';
import type { Shown } from './tabPage.ts';

const FAILURE_SHOWN_FOR_MS = 60_000;
/** A wait of 30 s, an attempt that is not answered for 15 s, and the start of the sound. */
const HEARD_AGAIN_MS = 50_000;
const ALARMED_MS = 1_000;
/** A first connection may open for so long without an alarm. */
const OPENING_MS = 16_000;
const GAP_ALLOWED_MS = 500;
/**
 * A tab hears within this time where the sound is: if it writes that its own sound ended before it hears of the other's,
 * three changes of the storage follow each other.
 */
const MESSAGES_MS = 2_200;
const BASE_LEARNED_MS = 10_000;
/** A loaded page learns within this time whether it is a copy. */
const COPY_KNOWN_MS = 2_500;
/** An answer to a creation that never comes is waited for as long. */
const CREATION_MS = 17_000;
/** A change of one value alone is believed within this time. */
const RECORD_BELIEVED_MS = 3_500;

/** The situations that any run has shown. */
export const seenSituations = new Set<View['situation']>();

/** Since when each tab has been in a state that may only pass. */
type Since = {
  silent: number | null;
  unalarmed: number | null;
  otherTabSilent: number | null;
  otherAccount: number | null;
  unread: number | null;
  creating: number | null;
  /** A creation that a person asked for failed; until when that must be told. */
  failure: { code: string; from: number; until: number } | null;
};

/** Watches both tabs. `check` throws what is wrong after a step. */
export function watch() {
  const since = new Map<string, Since>();
  let bothPlay: number | null = null;
  let bothAnswerKeys: number | null = null;
  const of = (tab: Tab): Since => {
    const key = keyOf(tab);
    const known = since.get(key) ?? {
      silent: null,
      unalarmed: null,
      otherTabSilent: null,
      otherAccount: null,
      unread: null,
      creating: null,
      failure: null,
    };
    since.set(key, known);
    return known;
  };

  function check(browser: MadeUpBrowser): void {
    for (const tab of browser.tabs) {
      const shown = tab.page.shown();
      // Time in the browser's back/forward cache does not count.
      if (tab.waiting) since.delete(keyOf(tab));
      if (!shown || tab.waiting) continue;
      checkRecords(browser, tab, shown, of(tab));
      checkTab(browser, tab, shown, shown.view, of(tab));
    }
    const areBoth = (since: number | null, is: (tab: Tab) => boolean) =>
      lasting(browser, since, tabsHearEachOther(browser) && browser.tabs.every(is));
    bothPlay = areBoth(bothPlay, (tab) => soundsIn(browser, tab));
    expectAtMost(browser, bothPlay, MESSAGES_MS, 'two tabs play');
    bothAnswerKeys = areBoth(bothAnswerKeys, (tab) => playedLast(tab));
    expectAtMost(browser, bothAnswerKeys, MESSAGES_MS, 'two tabs answer media keys');
    if (browser.world.prolongedUnasked > 0) throw new Error('a request that nobody asked for counts as use');
  }

  return {
    check,
    pressed: (tab: Tab) => {
      of(tab).failure = null;
    },
    creationFailed(browser: MadeUpBrowser, tab: Tab, code: string, retryAfterSeconds = 0) {
      const from = browser.world.nowMs;
      of(tab).failure = { code, from, until: from + FAILURE_SHOWN_FOR_MS + retryAfterSeconds * 1_000 };
    },
  };
}

/** Another one for each dashboard. */
function keyOf({ number, openedAt, page }: Tab): string {
  return `${number} ${openedAt} ${page.shown()?.dashboard}`;
}

function wrong(tab: Tab, shown: Shown, what: string): never {
  throw new Error(`tab ${tab.number}: ${what}: ${JSON.stringify(shown)}`);
}

/** The page shows what is on record. */
function checkRecords(browser: MadeUpBrowser, tab: Tab, shown: Shown, since: Since): void {
  const { world, stored } = browser;
  const { account, token, earlier, sessionEnded, made } = shown;

  // An address that can be copied belongs to a token with its own expiry, and of the account in the heading.
  if (account.company !== ACCOUNTS[account.id as AccountId].company) wrong(tab, shown, 'another company');
  let isOthers = false;
  for (const each of [token, ...earlier]) {
    if (!each || tokenState(each, browser.epochMs()).kind !== 'active') continue;
    const known = browser.tokens.get(each.token);
    if (each.expiresAt !== known?.expiresAt) wrong(tab, shown, 'a token with another’s expiry');
    if (known?.account !== account.id) isOthers = true;
  }
  // Another tab may write account and token before this one has heard of either.
  since.otherAccount = lasting(browser, since.otherAccount, isOthers);
  expectAtMost(browser, since.otherAccount, 0, 'a token of another account');

  if (made !== null && browser.tokens.get(made)?.tab !== tab)
    wrong(tab, shown, 'created here, though another tab created it');

  const onRecord = stored.get(STORAGE_KEYS.token);
  const isUnread =
    onRecord !== undefined &&
    // One tab may have deleted the expiry before it heard of the token that another tab wrote: that reads as no token.
    stored.has(STORAGE_KEYS.tokenExpire) &&
    onRecord !== token?.token &&
    browser.tokens.get(onRecord)?.account === account.id &&
    !sessionEnded &&
    !tab.hidden &&
    tab.refusedWriteAt < world.tokenWrittenAt &&
    stored.get(STORAGE_KEYS.account)?.includes(`"${account.id}"`) === true;
  since.unread = lasting(browser, since.unread, isUnread);
  expectAtMost(browser, since.unread, RECORD_BELIEVED_MS, 'the token on record is not shown');
}

function checkTab(browser: MadeUpBrowser, tab: Tab, state: Shown, view: View, since: Since): void {
  const { world } = browser;
  const { player, token: stored, streamBase, creating } = state;
  const wrong = (what: string): never => {
    throw new Error(`tab ${tab.number}: ${what}: ${JSON.stringify(state)}`);
  };
  const now = { epochMs: browser.epochMs(), monotonicMs: world.nowMs };

  if (stored && stored.token !== tab.learned.token) tab.learned = { token: stored.token, at: world.nowMs };
  const baseKnownSince = Math.max(tab.learned.at, world.serverAnswersSince);
  const canLearnBase =
    world.server === 'answers' &&
    browser.sessions.get(world.cookie) === state.account.id &&
    world.nowMs - baseKnownSince > BASE_LEARNED_MS;
  const newestOf = (base = '') => Number(/\d+/.exec(base));
  if (stored && canLearnBase && streamBase !== null)
    if (newestOf(streamBase) < newestOf(browser.tokens.get(stored.token)?.base))
      wrong('a token at an older address');

  // The player knows each connection, and whether it is held.
  for (const { id, held } of tab.connections.values()) {
    if (id !== player.heard?.id && id !== player.opening?.id) wrong('a connection that nobody watches');
    if (id === player.heard?.id && held !== player.mutedWhileCreating)
      wrong('a connection held or not, unlike the state');
  }

  // Sound wanted here and not heard is an alarm; sound that is heard, or wanted nowhere, is none.
  const connection = browser.connectionOf(tab);
  const sounds = soundsIn(browser, tab);
  const isSteady = sounds && connection?.dataEndedAt === null && player.obstacle === null;
  const isUnheard = tab.page.isMuted() || player.isProgrammeSilent;
  if (isSteady && !isUnheard && view.alarm !== 'none') wrong('an alarm while sound is heard');
  const isOpening =
    player.attempts.count === 0 &&
    world.nowMs - Math.max(tab.pressedAt, player.heard?.phaseSince ?? connection?.openedAt ?? 0) < OPENING_MS;
  const mustAlarm = player.wanted && !player.mutedWhileCreating && !sounds && !isOpening;
  since.unalarmed = lasting(browser, since.unalarmed, mustAlarm && view.alarm === 'none');
  expectAtMost(browser, since.unalarmed, ALARMED_MS + GAP_ALLOWED_MS, 'no alarm');
  // Without locks a copy of a tab does not know that it is one.
  if (
    view.alarm !== 'none' &&
    !tab.asksForSound &&
    !world.locksRefused &&
    world.nowMs - tab.openedAt > COPY_KNOWN_MS
  )
    wrong('an alarm for sound that nobody wanted here');

  // No dropout is longer than the page is open, whatever the clock was set to.
  const openMs = world.nowMs - tab.openedAt;
  if (player.dropout?.kind === 'over' && player.dropout.lastedMs > openMs)
    wrong('a dropout that is too long');

  // An attempt is due within 30 s, and sound that can be heard is heard again.
  const active = tokenState(stored, now.epochMs);
  const token = active.kind === 'active' ? active.token : null;
  const canPlay = player.wanted && !player.mutedWhileCreating && player.obstacle === null && token !== null;
  const dueAt = state.playerDueAt;
  // Where the clock was set, the next tick finds a token valid again.
  const ticked = world.nowMs - world.clockSetAt > 1_100;
  if (
    ticked &&
    canPlay &&
    streamBase !== null &&
    !player.heard &&
    !player.opening &&
    dueAt > world.nowMs + 30_000
  )
    wrong('no attempt is due');
  const canBeHeard =
    canPlay &&
    world.stream === 'plays' &&
    browser.tokens.get(token)?.base === world.base &&
    world.nowMs < (browser.tokens.get(token)?.endsAtMs ?? 0) &&
    streamBase === world.base;
  since.silent = lasting(browser, since.silent, canBeHeard && !sounds);
  expectAtMost(browser, since.silent, HEARD_AGAIN_MS, 'not heard again');
  const mayCreate =
    player.wanted &&
    !player.mutedWhileCreating &&
    state.autoCreate &&
    !state.sessionEnded &&
    player.hasPlayed;
  if (mayCreate && player.obstacle === null && token === null && !player.heard && !player.opening)
    if (state.creationDueAt === null && creating === null && player.attempts.dueAt === null)
      wrong('no creation is due');

  since.creating = lasting(browser, since.creating, creating !== null);
  expectAtMost(browser, since.creating, CREATION_MS, 'the overlay stays');

  // The failure of a press stays for a minute, unless a newer token or the end of the session makes it untrue.
  const { failure } = since;
  if (failure && stored?.token === tab.learned.token && tab.learned.at >= failure.from) since.failure = null;
  else if (failure && state.sessionEnded) since.failure = null;
  else if (failure && world.nowMs < failure.until && state.failure?.code !== failure.code)
    wrong(`the failure ${failure.code} cannot be read`);
  if (state.failure && world.nowMs > state.failure.endsAt + (tab.hidden ? 61_000 : 0))
    wrong('an old failure');
  const said = `${view.hint && dashboardTexts.playerHints[view.hint]} ${view.advice && dashboardTexts.playerAdvice[view.advice]}`;
  if (said.includes('Pulsa') && view.button !== 'play') wrong('a hint to press what cannot be pressed');
  if (/\bCrea\b/.test(said) && state.sessionEnded) wrong('a hint to create without a session');
  seenSituations.add(view.situation);
  if (view.hint === 'notAudio' && tab.lastAnswer === 'audio') wrong('audio is called no audio');
  if (view.hint === 'creating' && creating === null) wrong('no creation is under way');
  const other = browser.tab(1 - tab.number).page.shown()?.player;
  since.otherTabSilent = lasting(
    browser,
    since.otherTabSilent,
    view.hint === 'otherTab' && !other?.wanted && tabsHearEachOther(browser),
  );
  expectAtMost(browser, since.otherTabSilent, MESSAGES_MS, 'the other tab does not play');
}

/** Not where the browser refuses what one of them writes. */
function tabsHearEachOther({ tabs, world }: MadeUpBrowser): boolean {
  if (world.soundLeftBehind) return false;
  return tabs.every((tab) => !tab.refusesWrites && !tab.refusedSound && tab.waiting === null);
}

function playedLast({ page }: Tab): boolean {
  const shown = page.shown();
  return shown?.playedLast === true;
}

function soundsIn(browser: MadeUpBrowser, tab: Tab): boolean {
  const connection = browser.connectionOf(tab);
  return connection?.sounds === true && !connection.held && !connection.pausedOutside;
}

function lasting(browser: MadeUpBrowser, before: number | null, holds: boolean): number | null {
  return holds ? (before ?? browser.world.nowMs) : null;
}

function expectAtMost(browser: MadeUpBrowser, since: number | null, ms: number, what: string): void {
  if (since !== null && browser.world.nowMs - since > ms)
    throw new Error(`${what} for ${browser.world.nowMs - since} ms`);
}
