import { nextDueAt } from '../../../../client/dashboard/machine/playerMachine.ts';
import { activeToken } from '../../../../client/dashboard/machine/playerState.ts';
import { tokenState } from '../../../../client/dashboard/machine/tokenState.ts';
import { type PlayerView, playerView } from '../../../../client/dashboard/player/playerView.ts';
import type { DashboardStore } from '../../../../client/dashboard/store/dashboardStore.ts';
import type { MadeUpBrowser, Tab } from './madeUpBrowser.ts';

const FAILURE_SHOWN_FOR_MS = 60_000;
/** A wait of 30 s, an attempt that is not answered for 15 s, and the start of the sound. */
const HEARD_AGAIN_MS = 50_000;
const ALARMED_MS = 1_000;
/** A first connection may open for so long without an alarm. */
const OPENING_MS = 16_000;
const GAP_ALLOWED_MS = 500;
/** A message between tabs, and the timer of a hidden page that plays, come within this time. */
const MESSAGES_MS = 1_100;
const BASE_LEARNED_MS = 10_000;
/** A loaded page learns within this time whether it is a copy. */
const COPY_KNOWN_MS = 2_500;

/** Since when each tab has been in a state that may only pass. */
type Since = {
  silent: number | null;
  unalarmed: number | null;
  otherTabSilent: number | null;
  /** A creation that a person asked for failed; until when that must be told. */
  failure: { code: string; from: number; until: number } | null;
};

export function viewOf(browser: MadeUpBrowser, tab: Tab): PlayerView | null {
  const state = tab.store?.state();
  if (!state || tab.store?.hasEnded()) return null;
  const token = tokenState(state.stored ?? state.player.token, browser.epochMs(), state.expiredAt).kind;
  const { sessionEnded } = state;
  return playerView(state.player, {
    token,
    muted: false,
    offline: false,
    serverTrouble: null,
    sessionEnded,
  });
}

/** Watches both tabs. `check` throws what is wrong after a step. */
export function watch() {
  const since = new Map<DashboardStore | null, Since>();
  let bothPlay: number | null = null;
  let bothAnswerKeys: number | null = null;
  const of = ({ store }: Tab): Since => {
    const known = since.get(store) ?? {
      silent: null,
      unalarmed: null,
      otherTabSilent: null,
      failure: null,
    };
    since.set(store, known);
    return known;
  };

  function check(browser: MadeUpBrowser): void {
    for (const tab of browser.tabs) {
      const view = viewOf(browser, tab);
      if (view) checkTab(browser, tab, view, of(tab));
    }
    const areBoth = (since: number | null, is: (tab: Tab) => boolean) =>
      lasting(browser, since, !browser.world.channelRefused && browser.tabs.every(is));
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

function checkTab(browser: MadeUpBrowser, tab: Tab, view: PlayerView, since: Since): void {
  const { world } = browser;
  const state = tab.store?.state();
  if (!state) return;
  const { player, stored, earlier } = state;
  const wrong = (what: string): never => {
    throw new Error(`tab ${tab.number}: ${what}: ${JSON.stringify({ ...state, view })}`);
  };
  const now = { epochMs: browser.epochMs(), monotonicMs: world.nowMs, chance: 0 };

  // An address that can be copied belongs to a token with its own expiry and is not dead.
  if (stored && stored.token !== tab.learned.token) tab.learned = { token: stored.token, at: world.nowMs };
  for (const token of [stored, ...earlier]) {
    if (!token || tokenState(token, now.epochMs).kind !== 'active') continue;
    if (token.expiresAt !== browser.tokens.get(token.token)?.expiresAt)
      wrong('a token with another’s expiry');
  }
  const baseKnownSince = Math.max(tab.learned.at, world.serverAnswersSince);
  const canLearnBase =
    world.server === 'answers' && world.session && world.nowMs - baseKnownSince > BASE_LEARNED_MS;
  const newestOf = (base = '') => Number(/\d+/.exec(base));
  if (stored && canLearnBase && player.streamBase !== null)
    if (newestOf(player.streamBase) < newestOf(browser.tokens.get(stored.token)?.base))
      wrong('a token at an older address');

  // The player knows each connection, and whether it is held.
  for (const { id, held } of tab.connections.values()) {
    if (id !== player.connection?.id && id !== player.replacement?.id)
      wrong('a connection that nobody watches');
    if (id === player.connection?.id && held !== player.held)
      wrong('a connection held or not, unlike the state');
  }

  // Sound wanted here and not heard is an alarm; sound that is heard, or wanted nowhere, is none.
  const connection = browser.connectionOf(tab);
  const sounds = soundsIn(browser, tab);
  const isSteady = sounds && connection?.dataEndedAt === null && player.obstacle === null;
  if (isSteady && view.alarm !== 'none') wrong('an alarm while sound is heard');
  const isOpening =
    // The claim is of the clock before it was set.
    world.nowMs - world.clockSetAt < OPENING_MS ||
    (player.attempts.reconnect.count === 0 &&
      world.nowMs -
        Math.max(
          (player.claim?.epochMs ?? 0) - (browser.epochMs() - world.nowMs),
          player.connection?.phaseSince ?? 0,
        ) <
        OPENING_MS);
  // Before our server has told the address the page says that it connects, and what it waits for.
  const mustAlarm = player.wanted && !player.held && !sounds && !isOpening && player.streamBase !== null;
  since.unalarmed = lasting(browser, since.unalarmed, mustAlarm && view.alarm === 'none');
  expectAtMost(browser, since.unalarmed, ALARMED_MS + GAP_ALLOWED_MS, 'no alarm');
  // Without the channel a copy of a tab does not know that it is one.
  if (
    view.alarm !== 'none' &&
    !tab.asksForSound &&
    !world.channelRefused &&
    world.nowMs - tab.openedAt > COPY_KNOWN_MS
  )
    wrong('an alarm for sound that nobody wanted here');

  // No dropout is longer than the page is open, whatever the clock was set to.
  const openMs = world.nowMs - tab.openedAt;
  if (player.dropout?.kind === 'over' && player.dropout.lastedMs > openMs)
    wrong('a dropout that is too long');

  // An attempt is due within 30 s, and sound that can be heard is heard again.
  const token = activeToken(player, now);
  const canPlay = player.wanted && !player.held && player.obstacle === null && token !== null;
  const dueAt = nextDueAt(player);
  // Where the clock was set, the next tick finds a token valid again.
  const ticked = world.nowMs - world.clockSetAt > 1_100;
  if (ticked && canPlay && player.streamBase !== null && !player.connection && dueAt > world.nowMs + 30_000)
    wrong('no attempt is due');
  const canBeHeard =
    canPlay &&
    world.stream === 'plays' &&
    browser.tokens.get(token)?.base === world.base &&
    world.nowMs < (browser.tokens.get(token)?.endsAtMs ?? 0) &&
    player.streamBase === world.base;
  since.silent = lasting(browser, since.silent, canBeHeard && !sounds);
  expectAtMost(browser, since.silent, HEARD_AGAIN_MS, 'not heard again');
  const mayCreate = player.wanted && !player.held && player.autoCreate && player.hasPlayed;
  const { attempts, creating } = player;
  if (mayCreate && player.obstacle === null && token === null && !player.connection)
    if (attempts.create.dueAt === null && creating === null && attempts.reconnect.dueAt === null)
      wrong('no creation is due');

  // The failure of a press stays for a minute, unless a newer token or the end of the session makes it untrue.
  const { failure } = since;
  if (failure && stored?.token === tab.learned.token && tab.learned.at >= failure.from) since.failure = null;
  else if (failure && state.sessionEnded) since.failure = null;
  else if (failure && world.nowMs < failure.until && state.failure?.code !== failure.code)
    wrong(`the failure ${failure.code} cannot be read`);
  if (state.failure && world.nowMs > state.failure.endsAt + (tab.hidden ? 61_000 : 0))
    wrong('an old failure');
  if (view.hint === 'notAudio' && tab.lastAnswer === 'audio') wrong('audio is called no audio');
  if (view.hint === 'creating' && creating === null) wrong('no creation is under way');
  const other = browser.tab(1 - tab.number).store?.state().player;
  since.otherTabSilent = lasting(
    browser,
    since.otherTabSilent,
    view.hint === 'otherTab' && !other?.wanted && !world.channelRefused,
  );
  expectAtMost(browser, since.otherTabSilent, MESSAGES_MS, 'the other tab does not play');
}

function playedLast({ store }: Tab): boolean {
  return store?.hasEnded() === false && store.state().player.playedLast;
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
