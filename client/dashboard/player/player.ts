import { streamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import { askStream } from './askStream.ts';
import type { AudioPlayer, AudioReport } from './audioPlayer.ts';
import { type Dropout, dropoutAfter, NO_DROPOUT } from './dropout.ts';
import {
  isAtRest,
  isHeld,
  type LossCause,
  PLAYER_AT_REST,
  type PlayerAction,
  type PlayerState,
  playerReducer,
  type Refusal,
} from './playerState.ts';
import { hasLasted, reconnectWaitMs, replacementWaitMs } from './reconnectWait.ts';

const DELAY_ALLOWED_SECONDS = 5;

export type Player = {
  state(): PlayerState;
  dropout(): Dropout;
  subscribe(onChange: () => void): () => void;
  attach: AudioPlayer['attach'];
  peak: AudioPlayer['peak'];
  play(): void;
  pause(): void;
  /** Pauses while a token is being created. Keeps the connection: if the creation fails, the old token may open no other. */
  hold(): void;
  resume(): void;
  /** Takes the token last made, here or in another tab, null for none. Notices about the previous token disappear. */
  tokenLearned(token: string | null): void;
  otherTab(did: 'play' | 'stop'): void;
  retryNow(): void;
  streamBaseLearned(baseUrl: string): void;
};

/**
 * Decides when to connect (docs/decisions/0018); reconnectWait.ts, after what wait. playerState.ts says what the page shows; audioPlayer.ts,
 * which of two elements is heard; audioConnection.ts plays one address and judges it by stall.ts, supply.ts and liveDelay.ts.
 * @param activeToken returns the current token, null when none is valid
 */
export function createPlayer(
  activeToken: () => string | null,
  createAudio: (report: (what: AudioReport) => void) => AudioPlayer,
  whyUnopened: (address: string) => Promise<Refusal> = askStream,
): Player {
  const listeners = new Set<() => void>();
  let state = PLAYER_AT_REST;
  let dropout = NO_DROPOUT;
  let streamBase: string | null = null;
  let waitsForStreamBase = false;
  let address = '';
  let lastToken: string | null = null;
  let playTracked = false;
  let soundSince: number | null = null;
  let behindSeconds = 0;
  /** The connection that will replace the one still heard: it is `opening`, or waits for its next attempt. */
  let replacement: { why: 'supplyEnded' | 'late'; failures: number; opening: boolean } | null = null;
  let replacedAt: number | null = null;
  let nextAttempt: ReturnType<typeof setTimeout> | undefined;
  /** Changes with each connection and pause, so that answers about an earlier one are ignored. */
  let generation = 0;

  const reactions: Record<Extract<AudioReport, string>, () => void> = {
    sounding: soundStarted,
    waiting: () => dispatch({ type: 'dataAwaited' }),
    supplyEnded: () => replace('supplyEnded'),
    supplyResumed,
    replaced,
    notReplaced: replaceLater,
    silent: () => dispatch({ type: 'silenceBegan' }),
    audible: () => dispatch({ type: 'silenceEnded' }),
    blocked: () => dispatch({ type: 'playBlocked' }),
    pausedElsewhere() {
      cancelAttempts();
      dispatch({ type: 'pauseRequested' });
    },
    unopened: askWhyUnopened,
    lost: () => connectionLost('none'),
    noOutput: () => connectionLost('noOutput'),
  };
  const audio = createAudio((what) => {
    if (typeof what === 'string') {
      reactions[what]();
    } else {
      behindSeconds = what.behindSeconds;
      judgeDelay();
    }
  });

  function dispatch(action: PlayerAction): void {
    const before = state;
    const dropoutBefore = dropout;
    state = playerReducer(before, action);
    dropout = dropoutAfter(dropout, before, state, { epochMs: Date.now(), monotonicMs: performance.now() });
    if (state === before && dropout === dropoutBefore) return;
    for (const listener of listeners) listener();
  }

  function soundStarted(): void {
    soundSince ??= performance.now();
    dispatch({ type: 'soundStarted' });
    judgeDelay();
    if (!playTracked) track('play');
    playTracked = true;
  }

  function connect(): void {
    disconnect();
    const token = activeToken();
    waitsForStreamBase = streamBase === null;
    if (token === null) {
      connectionLost('none');
    } else if (streamBase !== null) {
      address = streamUrl(streamBase, token);
      audio.open(address);
    }
  }

  async function askWhyUnopened(): Promise<void> {
    const asking = generation;
    const refusal = await whyUnopened(address);
    if (asking === generation) connectionLost(refusal);
  }

  function connectionLost(cause: LossCause): void {
    const sounded = soundSince !== null;
    const soundLasted = hasLasted(soundSince, performance.now());
    soundSince = null;
    behindSeconds = 0;
    const isReplaced = replacement?.opening === true;
    if (replacement !== null) cancelAttempts();
    dispatch({
      type: 'connectionLost',
      canReconnect: isReplaced || activeToken() !== null,
      cause,
      soundLasted,
    });
    if (state.kind !== 'reconnecting' || isReplaced) return;
    const waitMs = reconnectWaitMs(state.attempt, { sounded, cause });
    if (waitMs === 0) connect();
    else nextAttempt = setTimeout(connect, waitMs);
  }

  function replace(why: 'supplyEnded' | 'late'): void {
    if (replacement !== null) {
      if (why === 'supplyEnded') replacement.why = why;
      return;
    }
    const isSoon = replacedAt !== null && !hasLasted(replacedAt, performance.now());
    replacement = { why, failures: 0, opening: false };
    if (isSoon) replaceLater();
    else openReplacement();
  }

  function openReplacement(): void {
    nextAttempt = undefined;
    if (replacement === null) return;
    const token = activeToken();
    if (token === null || streamBase === null) {
      if (replacement.why === 'supplyEnded' && state.kind !== 'dry') dispatch({ type: 'supplyEnded' });
      replacement = null;
      judgeDelay();
    } else {
      replacement.opening = true;
      address = streamUrl(streamBase, token);
      audio.replace(address);
    }
  }

  function replaceLater(): void {
    if (replacement === null) return;
    replacement.failures += 1;
    replacement.opening = false;
    nextAttempt = setTimeout(openReplacement, replacementWaitMs(replacement.failures));
  }

  function replaced(): void {
    cancelAttempts();
    replacedAt = performance.now();
    soundSince = replacedAt;
    behindSeconds = 0;
    soundStarted();
  }

  function supplyResumed(): void {
    if (replacement?.why === 'supplyEnded') {
      cancelAttempts();
      audio.cancelReplacement();
    }
    dispatch({ type: 'supplyResumed' });
  }

  function judgeDelay(): void {
    const isLate = behindSeconds > DELAY_ALLOWED_SECONDS;
    if (isLate && activeToken() !== null) replace('late');
    const isJoining = replacement !== null && replacement.failures === 0;
    dispatch({ type: 'delayMeasured', behindSeconds: isLate && !isJoining ? behindSeconds : 0 });
  }

  function disconnect(): void {
    cancelAttempts();
    soundSince = null;
    behindSeconds = 0;
    audio.close();
  }

  function cancelAttempts(): void {
    generation += 1;
    clearTimeout(nextAttempt);
    nextAttempt = undefined;
    replacement = null;
    waitsForStreamBase = false;
  }

  function pause(): void {
    disconnect();
    dispatch({ type: 'pauseRequested' });
  }

  return {
    state: () => state,
    dropout: () => dropout,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    attach(first, second) {
      const detach = audio.attach(first, second);
      return () => {
        pause();
        detach();
      };
    },
    peak: audio.peak,
    play() {
      if (!isAtRest(state) || activeToken() === null) return;
      playTracked = false;
      dispatch({ type: 'playRequested' });
      connect();
    },
    pause,
    hold() {
      if (isAtRest(state)) return;
      cancelAttempts();
      audio.hold();
      dispatch({ type: 'holdRequested' });
    },
    resume() {
      if (!isHeld(state)) return;
      const connection = audio.resume();
      dispatch({ type: 'holdEnded', connected: connection !== 'gone' });
      if (connection === 'gone') connect();
      else if (connection === 'sounding') soundStarted();
    },
    tokenLearned(token) {
      if (token !== lastToken) dispatch({ type: 'tokenChanged' });
      lastToken = token;
    },
    otherTab(did) {
      if (did === 'play') disconnect();
      dispatch({ type: did === 'play' ? 'otherTabPlayed' : 'otherTabStopped' });
    },
    retryNow() {
      if (replacement !== null) {
        if (replacement.opening) return;
        clearTimeout(nextAttempt);
        return openReplacement();
      }
      const waitsForData = state.kind === 'buffering' && activeToken() !== null;
      if (nextAttempt !== undefined || waitsForData) connect();
    },
    streamBaseLearned(baseUrl) {
      streamBase = baseUrl;
      if (waitsForStreamBase) connect();
    },
  };
}
