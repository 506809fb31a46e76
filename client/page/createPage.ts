import { effectsBetween, effectsOfClosing, eventAfterFailure, type PageEffect } from './effects.ts';
import type { Environment, Requests, StreamAudio } from './environment.ts';
import { isSame } from './isSame.ts';
import type { PageEvent, PageState } from './pageState.ts';
import { isConnected } from './player/playerState.ts';
import type { StreamAnswer } from './player/streamAnswer.ts';
import { readRecords, writeRecords } from './records.ts';
import { recordsToWrite, tabRecordsToWrite } from './recordsToWrite.ts';
import { runSafely } from './runSafely.ts';
import { openPage } from './session.ts';
import { shownOf } from './shown.ts';
import { STORAGE_KEYS, type StorageChange } from './storageKeys.ts';
import { readTabRecords, writeTabRecords } from './tabRecords.ts';
import { dueAt, update } from './update.ts';

export type Page = ReturnType<typeof createPage>;

/**
 * Holds the page's state and runs what follows from its changes. Uses neither DOM nor React: components subscribe to it
 * and show its state.
 */
export function createPage(environment: Environment) {
  const { storage, tabStorage, clock, holdLock, openAudio, askStream, track } = environment;
  const listeners = new Set<() => void>();
  const queue: PageEvent[] = [];
  /** The locks that this page holds or asked for, as functions that release them. */
  const locks = new Map<string, () => void>();
  let requests: Requests | null = null;
  const waiting: PageEffect[] = [];
  let audio: StreamAudio | null = null;
  let stopTicks: (() => void) | null = null;
  let cancelTimer = () => {};
  let isHandling = false;
  let isClosed = false;
  /** How many calls of `together` are under way. */
  let depth = 0;

  let eventNumber = 1;
  const now = () => ({
    epochMs: clock.epochMs(),
    monotonicMs: clock.monotonicMs(),
    random: clock.random(),
    number: eventNumber,
  });

  let state = openPage(String(clock.random()), readRecords(storage), readTabRecords(tabStorage), now());
  let shown = shownOf(state);

  function send(event: PageEvent): void {
    if (isClosed) return;
    queue.push(event);
    if (isHandling) return;
    isHandling = true;
    together(() => {
      try {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) handle(next);
      } finally {
        isHandling = false;
      }
    });
  }

  /** Tells listeners once of all that `act` changes. */
  function together(act: () => void): void {
    depth += 1;
    try {
      act();
    } finally {
      depth -= 1;
      if (depth === 0) publish();
    }
  }

  function publish(): void {
    followTime();
    const before = shown;
    shown = shownOf(state, before);
    if (shown === before) return;
    for (const listener of [...listeners]) runSafely(listener);
  }

  function handle(event: PageEvent): void {
    // Reads what other tabs have changed before anything is decided.
    runSafely(readRecordsAnew);
    // An answer that a rule cannot take must not leave the overlay on the page.
    if (!runSafely(() => step(event)) && event.type === 'tokenCreated')
      queue.unshift({ type: 'creationFailed', number: event.number, failure: { code: 'UNKNOWN' } });
  }

  function readRecordsAnew(): void {
    const records = readRecords(storage);
    if (!isSame(records, state.known)) step({ type: 'recordsRead', records });
  }

  function step(event: PageEvent): void {
    const before = state;
    eventNumber += 1;
    state = update(before, event, now());
    if (state !== before) follow(before);
  }

  function follow(before: PageState | null): void {
    writeRecordsAnew();
    for (const effect of effectsBetween(before, state)) {
      const event = runSafely(() => run(effect)) ? null : eventAfterFailure(effect);
      if (event) queue.unshift(event);
    }
  }

  function writeRecordsAnew(): void {
    const [wanted, tabWanted] = [recordsToWrite(state), tabRecordsToWrite(state)];
    if (!isSame(wanted, state.known)) {
      writeRecords(storage, state.known, wanted);
      state = { ...state, known: wanted };
    }
    if (!isSame(tabWanted, state.tabKnown)) {
      writeTabRecords(tabStorage, state.tabKnown, tabWanted);
      state = { ...state, tabKnown: tabWanted };
    }
  }

  function run(effect: PageEffect): void {
    switch (effect.type) {
      case 'openSound':
        ensureAudio();
        break;
      case 'closeSound': {
        const closed = audio;
        audio = null;
        closed?.close();
        break;
      }
      case 'createToken':
        if (requests) void createToken(requests, effect.number, effect.isAutomatic);
        else waiting.push(effect);
        break;
      case 'askDashboard':
        if (requests) void askDashboard(requests, effect.number);
        else waiting.push(effect);
        break;
      case 'askWhy':
        void askWhy(effect.id, effect.url);
        break;
      case 'holdLock':
        locks.set(
          effect.page,
          holdLock(effect.page, (isGranted) => send({ type: 'lockAnswered', page: effect.page, isGranted })),
        );
        break;
      case 'releaseLock':
        locks.get(effect.page)?.();
        locks.delete(effect.page);
        break;
      case 'track':
        track(effect.name);
        break;
      default:
        ensureAudio().run(effect);
    }
  }

  /** Opened with the dashboard. If that failed, each connection tries it again. */
  function ensureAudio(): StreamAudio {
    audio ??= openAudio(
      (id, event) => send({ type: 'connectionEvent', id, event }),
      () => send({ type: 'outputReturned' }),
    );
    return audio;
  }

  async function createToken(server: Requests, number: number, isAutomatic: boolean): Promise<void> {
    const answer = await server.createToken(isAutomatic).catch((error: unknown) => {
      console.warn(error);
      return { failure: { code: 'UNKNOWN' as const } };
    });
    if ('failure' in answer) send({ type: 'creationFailed', number, failure: answer.failure });
    else send({ type: 'tokenCreated', number, created: answer });
  }

  async function askDashboard(server: Requests, number: number): Promise<void> {
    const answer = await server.dashboard().catch((error: unknown) => void console.warn(error));
    send({ type: 'dashboardAnswered', number, answer: answer ?? null });
  }

  async function askWhy(id: number, url: string): Promise<void> {
    const answer = await askStream(url).catch((): StreamAnswer => 'none');
    send({ type: 'answerLearned', id, answer });
  }

  /** Wakes the page when something is due, and several times a second while sound is wanted. */
  function followTime(): void {
    cancelTimer();
    cancelTimer = () => {};
    const moment = now();
    const waitMs = dueAt(state, moment) - moment.monotonicMs;
    if (waitMs < Number.POSITIVE_INFINITY)
      cancelTimer = clock.after(Math.max(0, waitMs), () => send({ type: 'timePassed' }));
    if (state.kind === 'signedIn' && state.dashboard.player.wanted) {
      stopTicks ??= clock.startTicks(tick);
    } else {
      stopTicks?.();
      stopTicks = null;
    }
  }

  function tick(): void {
    together(() => {
      runSafely(() => audio?.check());
      const moment = now();
      const isDue = dueAt(state, moment) <= moment.monotonicMs;
      // A clock that was set may have made a token valid again, of which no timer tells.
      const isWaiting = state.kind === 'signedIn' && !isConnected(state.dashboard.player);
      if (isDue || isWaiting) send({ type: 'timePassed' });
    });
  }

  function followStorage({ by, key, newValue }: StorageChange): void {
    if (by === 'thisPage') return;
    if (by === 'cache') send({ type: 'pageRestored' });
    else if (key === STORAGE_KEYS.logoutPending && newValue !== null) send({ type: 'otherTabSignedOut' });
    else if (key === STORAGE_KEYS.account) send({ type: 'otherTabChangedAccount' });
    else send({ type: 'timePassed' });
  }

  const unsubscribe = storage.subscribe(followStorage);
  together(() => follow(null));

  return {
    /** The whole state, for requests. Components read `shown`, which tells listeners when it changes. */
    state: () => state,
    shown: () => shown,
    send,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Sends the requests that waited for this, and all later ones at once. */
    connect(server: Requests): void {
      requests = server;
      for (const effect of waiting.splice(0)) runSafely(() => run(effect));
    },
    peak(): number | null {
      if (state.kind === 'signedOut') return null;
      const { heard, mutedWhileCreating } = state.dashboard.player;
      return heard && !mutedWhileCreating ? (audio?.peak() ?? null) : null;
    },
    close(): void {
      isClosed = true;
      unsubscribe();
      cancelTimer();
      stopTicks?.();
      if (state.kind === 'signedIn')
        for (const effect of effectsOfClosing(state.dashboard)) runSafely(() => run(effect));
    },
  };
}
