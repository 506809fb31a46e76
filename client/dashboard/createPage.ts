import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { baseOfStreamUrl } from '../../shared/streamUrl.ts';
import { track } from '../analytics/track.ts';
import type { Failure } from '../api/failure.ts';
import type { DashboardQuery } from '../generated/graphql.ts';
import { type Account, parseJson, recordsIn, type StoredToken } from '../session/localRecords.ts';
import {
  type KeyValueStorage,
  type ObservedStorage,
  STORAGE_KEYS,
  TAB_STORAGE_KEYS,
} from '../session/storage.ts';
import type { ConnectionEvent } from './machine/connectionEvents.ts';
import type { AudioEffect, PlayerEffect } from './machine/playerEffects.ts';
import { nextDueAt, type PlayerEvent, playerMachine } from './machine/playerMachine.ts';
import { type Claim, isOnAir, PLAYER_AT_REST, type PlayerState } from './machine/playerState.ts';
import type { StreamAnswer } from './machine/streamAnswer.ts';
import { expiryOfNewToken, shouldMarkExpired, tokenState } from './machine/tokenState.ts';
import type { CreateToken } from './token/useCreateToken.ts';

const ORIGINAL_ANSWERS_WITHIN_MS = 1_000;
const OTHER_HALF_FOLLOWS_MS = 1_000;
const FAILURE_SHOWN_FOR_MS = MINUTE_MS;
const CREATED_SHOWN_FOR_MS = 10_000;
const NEVER = Number.POSITIVE_INFINITY;
const NO_HALF_CHANGE = { read: null, endsAt: NEVER };

export type PageState = {
  player: PlayerState;
  /** The token in the browser's storage, deleted at the session's end; `player.token` stays. */
  stored: StoredToken | null;
  /** When the stored token expired, once its stored expiry was reset to 0. */
  expiredAt: number | null;
  /** Replaced tokens that may still be valid, newest first, for other encoders. Kept in memory only. */
  earlier: StoredToken[];
  autoCreate: boolean;
  failure: (Failure & { endsAt: number }) | null;
  created: { token: string; at: number; endsAt: number } | null;
  sessionEnded: boolean;
};

/** What tabs tell each other. `asks`: is the page with this id still open? If so, it answers `lives`. */
export type TabMessage = Claim | 'stop' | { asks: string } | { lives: string };

export type Clock = {
  epochMs(): number;
  monotonicMs(): number;
  chance(): number;
  /** Returns a function that cancels the call. */
  after(ms: number, act: () => void): () => void;
  /** Calls `onTick` several times a second. Returns a cleanup function. */
  startTicks(onTick: () => void): () => void;
};

export type Surroundings = {
  storage: ObservedStorage;
  tabStorage: KeyValueStorage;
  channel(onMessage: (message: TabMessage) => void): {
    postMessage(message: TabMessage): void;
    close(): void;
  };
  clock: Clock;
  ask: {
    createToken: CreateToken;
    /** Repeats a temporary failure; resolves to null after any other. */
    dashboard(): Promise<DashboardQuery | null>;
    stream(url: string): Promise<StreamAnswer>;
  };
  audio(onEvent: (id: number, event: ConnectionEvent) => void): PageAudio;
};

export type PageAudio = {
  run(effect: AudioEffect): void;
  /** Call it several times a second: for some changes an element fires no event. */
  check(): void;
  /** Returns the peak of the last sound, from 0 to 1, before the volume applies; null if nothing is measured. */
  peak(): number | null;
  close(): void;
};

export type Page = ReturnType<typeof createPage>;

/**
 * Holds the dashboard's state and does its work, from its opening for an account until the sign-out. Uses neither DOM
 * nor React: components subscribe to it and show its state.
 */
export function createPage(
  account: Account,
  { storage, tabStorage, channel: openChannel, clock, ask, audio: openAudio }: Surroundings,
) {
  const records = recordsIn(storage);
  const listeners = new Set<() => void>();
  let state: PageState = {
    player: PLAYER_AT_REST,
    stored: null,
    expiredAt: null,
    earlier: [],
    autoCreate: false,
    failure: null,
    created: null,
    sessionEnded: false,
  };
  let isOpen = false;
  let ended = false;
  /** A change of the token alone, or of its expiry alone, and when it is accepted. */
  let halfChange: { read: StoredToken | null; endsAt: number } = NO_HALF_CHANGE;
  let stopTicks: (() => void) | null = null;
  let cancelDue = () => {};
  /** The id of the page that stored `soundWanted`. If that page is still open, this tab is a copy of its tab. */
  let predecessor: string | null = null;
  let recallAt = NEVER;
  let creationsAnswered = 0;
  const id = String(clock.chance());
  const audio = openAudio((id, event) => send({ type: 'connectionEvent', id, event }));
  const otherTabs = openChannel((message) => {
    if (message === 'stop') {
      send({ type: 'otherTabTold', claim: null });
    } else if ('lives' in message) {
      if (message.lives === predecessor) treatAsCopy();
    } else if ('asks' in message) {
      // Until this page stores its own id, a copy of this tab finds the predecessor's id and asks for that one.
      if (message.asks === id || message.asks === predecessor) otherTabs.postMessage({ lives: message.asks });
    } else {
      send({ type: 'otherTabTold', claim: message });
    }
  });

  function change(part: Partial<PageState>): void {
    state = { ...state, ...part };
    if (!ended) schedule();
    for (const listener of listeners) listener();
  }

  function send(event: PlayerEvent): void {
    if (ended) return;
    step(event);
    endIfOver();
  }

  function step(event: PlayerEvent): void {
    const now = { epochMs: clock.epochMs(), monotonicMs: clock.monotonicMs(), chance: clock.chance() };
    const { state: player, effects } = playerMachine(state.player, event, now);
    state = { ...state, player };
    for (const effect of effects) run(effect);
    change({});
  }

  function run(effect: PlayerEffect): void {
    switch (effect.type) {
      case 'askWhy':
        void askWhy(effect.id, effect.url);
        break;
      case 'createToken':
        void requestToken(true);
        break;
      case 'tellOtherTabs':
        otherTabs.postMessage(effect.claim ?? 'stop');
        break;
      case 'remember':
        remember(effect.wanted);
        break;
      case 'trackPlay':
        track('play');
        break;
      default:
        audio.run(effect);
    }
  }

  function remember(wanted: boolean): void {
    recallAt = NEVER;
    if (wanted) {
      tabStorage.setItem(TAB_STORAGE_KEYS.soundWanted, account.id);
      tabStorage.setItem(TAB_STORAGE_KEYS.soundWantedBy, id);
    } else {
      for (const key of Object.values(TAB_STORAGE_KEYS)) tabStorage.removeItem(key);
    }
  }

  /**
   * After a reload, sound that was wanted is wanted again. A copied tab finds the same record, so this page first asks
   * whether the page that wrote it is still open.
   */
  function recall(): void {
    if (tabStorage.getItem(TAB_STORAGE_KEYS.soundWanted) !== account.id) return;
    predecessor = tabStorage.getItem(TAB_STORAGE_KEYS.soundWantedBy);
    if (predecessor === null) {
      send({ type: 'pageReloaded' });
      return;
    }
    recallAt = clock.monotonicMs() + ORIGINAL_ANSWERS_WITHIN_MS;
    otherTabs.postMessage({ asks: predecessor });
    schedule();
  }

  function treatAsCopy(): void {
    predecessor = null;
    if (state.player.obstacle === 'reloaded') send({ type: 'stopped' });
    else if (!state.player.wanted) remember(false);
  }

  async function askWhy(id: number, url: string): Promise<void> {
    send({ type: 'answerLearned', id, answer: await ask.stream(url) });
  }

  async function askDashboard(): Promise<void> {
    const creationsBefore = creationsAnswered;
    const answer = await ask.dashboard();
    if (ended || !answer) return;
    const { session, stream } = answer;
    if (session && records.isSameAccount(session)) records.keepAccount(session);
    // A token that was created meanwhile came with a newer address.
    if (creationsAnswered === creationsBefore)
      send({ type: 'streamBaseLearned', streamBase: stream.baseUrl });
  }

  /** Creates one token at a time, and pauses the sound (specification, section 4). */
  function createToken(): void {
    // The player may be creating one already, for lost sound: then the partner waits for that one.
    const isUnderWay = state.player.creating !== null;
    change({ failure: null });
    send({ type: 'creationPressed' });
    if (!isUnderWay) void requestToken(false);
  }

  async function requestToken(isUnasked: boolean): Promise<void> {
    change({ created: null });
    const answer = await ask.createToken(isUnasked);
    if (ended) return;
    if ('failure' in answer) {
      const { retryAfterSeconds = 0 } = answer.failure;
      const wasPressed = state.player.creating === 'pressed';
      const endsAt = clock.monotonicMs() + FAILURE_SHOWN_FOR_MS + retryAfterSeconds * SECOND_MS;
      // A failed creation by the page itself does not replace the failure of the partner's own.
      if (wasPressed || state.failure === null) change({ failure: { ...answer.failure, endsAt } });
      send({ type: 'creationFailed', retryAfterSeconds });
      return;
    }
    if (!records.isSameAccount(account)) {
      send({ type: 'creationFailed', retryAfterSeconds: 0 });
      return;
    }
    const { token, streamUrl, company, lifetimeSeconds } = answer;
    const now = clock.epochMs();
    const made = { token, expiresAt: expiryOfNewToken(now, lifetimeSeconds) };
    creationsAnswered += 1;
    const streamBase = baseOfStreamUrl(streamUrl, token);
    if (streamBase !== null) send({ type: 'streamBaseLearned', streamBase });
    send({ type: 'creationSucceeded', token: made });
    records.keepAccount({ id: account.id, company });
    records.keepToken(made.token, made.expiresAt);
    change({ created: { token, at: now, endsAt: clock.monotonicMs() + CREATED_SHOWN_FOR_MS } });
    track('token_created');
  }

  function readStorage(): void {
    if (ended) return;
    const signedIn = records.account();
    if (signedIn !== null && signedIn.id !== account.id) {
      end();
      return;
    }
    const sessionEnded = signedIn === null;
    const isSignedInAgain = state.sessionEnded && !sessionEnded;
    if (isSignedInAgain) {
      change({ failure: null });
      void askDashboard();
    }
    const autoCreate = accountsWithAutoCreate().includes(account.id);
    change({ sessionEnded, autoCreate, expiredAt: records.tokenExpiredAt() });
    endIfOver();
    if (ended) return;
    send({ type: 'autoCreateChanged', on: autoCreate && !sessionEnded });
    readToken(isSignedInAgain);
  }

  /** Another tab writes token and expiry one after the other: half a change waits for the other half. */
  function readToken(isSignedInAgain: boolean): void {
    const read = records.token();
    const { stored } = state;
    if (read !== stored && isHalfOf(read, stored)) {
      if (read !== halfChange.read)
        halfChange = { read, endsAt: clock.monotonicMs() + OTHER_HALF_FOLLOWS_MS };
      schedule();
    } else if (read !== stored || isSignedInAgain) {
      acceptToken(read);
    } else {
      halfChange = NO_HALF_CHANGE;
    }
  }

  function acceptToken(stored: StoredToken | null): void {
    halfChange = NO_HALF_CHANGE;
    const { stored: last, earlier, failure } = state;
    const isNew = stored !== null && stored.token !== last?.token;
    const isReplaced = last !== null && isNew;
    change({
      stored,
      earlier: isReplaced ? [last, ...earlier].filter(isActive) : earlier,
      failure: isNew ? null : failure,
    });
    const used = state.player.token;
    // Another tab created the token, perhaps for a new stream address.
    if (isOpen && isNew && stored.token !== used?.token) void askDashboard();
    if (stored !== null) send({ type: 'tokenLearned', token: stored });
    // The stored token was deleted when a session ended. The player's still opens connections, so store it again.
    else if (used !== null && !state.sessionEnded) records.keepToken(used.token, used.expiresAt);
  }

  function isActive(token: StoredToken): boolean {
    return tokenState(token, clock.epochMs()).kind === 'active';
  }

  function accountsWithAutoCreate(): unknown[] {
    const kept = parseJson(storage.getItem(STORAGE_KEYS.autoCreate));
    return Array.isArray(kept) ? kept : [];
  }

  function setAutoCreate(on: boolean): void {
    const others = accountsWithAutoCreate().filter((id) => id !== account.id);
    storage.setItem(STORAGE_KEYS.autoCreate, JSON.stringify(on ? [...others, account.id] : others));
  }

  function pendingChanges(): [dueAt: number, apply: () => void][] {
    const { player, failure, created } = state;
    return [
      [halfChange.endsAt, () => acceptToken(records.token())],
      [recallAt, () => send({ type: 'pageReloaded' })],
      [failure?.endsAt ?? NEVER, () => change({ failure: null })],
      [created?.endsAt ?? NEVER, () => change({ created: null })],
      [nextDueAt(player), () => send({ type: 'timePassed' })],
    ];
  }

  /** Makes the changes that are due, and schedules the next. */
  function checkClock(): void {
    if (ended) return;
    const { stored } = state;
    if (stored && shouldMarkExpired(stored, clock.epochMs())) records.markTokenExpired(stored);
    const now = clock.monotonicMs();
    for (const [dueAt, apply] of pendingChanges()) if (now >= dueAt) apply();
    schedule();
  }

  function schedule(): void {
    const { player, stored } = state;
    const validForMs = stored && isActive(stored) ? stored.expiresAt - clock.epochMs() : NEVER;
    const waitMs = Math.min(...pendingChanges().map(([dueAt]) => dueAt)) - clock.monotonicMs();
    cancelDue();
    if (waitMs < NEVER || validForMs < NEVER)
      cancelDue = clock.after(Math.max(0, Math.min(waitMs, validForMs)), checkClock);
    if (player.wanted) {
      stopTicks ??= clock.startTicks(tick);
    } else {
      stopTicks?.();
      stopTicks = null;
    }
  }

  function tick(): void {
    audio.check();
    checkClock();
  }

  function endIfOver(): void {
    if (state.sessionEnded && !isOnAir(state.player)) end();
  }

  function end(): void {
    if (ended) return;
    ended = true;
    step({ type: 'stopped' });
    cancelDue();
    stopTicks?.();
    unsubscribe();
    otherTabs.close();
    audio.close();
    for (const listener of listeners) listener();
  }

  const unsubscribe = storage.subscribe(readStorage);
  readStorage();
  recall();
  isOpen = true;
  void askDashboard();

  return {
    state: () => state,
    hasEnded: () => ended,
    subscribe(onChange: () => void): () => void {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    send,
    createToken,
    setAutoCreate,
    checkClock,
    peak: () => (state.player.connection && !state.player.held ? audio.peak() : null),
    end,
  };
}

function isHalfOf(read: StoredToken | null, stored: StoredToken | null): boolean {
  if (read === null || stored === null) return false;
  return (read.token === stored.token) !== (read.expiresAt === stored.expiresAt);
}
