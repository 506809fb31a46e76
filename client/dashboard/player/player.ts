import { streamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import { backoffMs } from '../../api/retry.ts';
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

const LONGEST_RECONNECT_DELAY_MS = 15_000;

/** After sound of this length a loss counts as a new one: reconnecting begins with the shortest wait again. */
const LASTING_SOUND_MS = 10_000;

/** Sound that is further behind live than this joins the live edge again, or says how far behind it is. */
const DELAY_ALLOWED_SECONDS = 5;

export type Player = {
  state(): PlayerState;
  dropout(): Dropout;
  subscribe(onChange: () => void): () => void;
  attach: AudioPlayer['attach'];
  peak: AudioPlayer['peak'];
  /** Connects with the current token, as soon as the stream's base address is known. */
  play(): void;
  pause(): void;
  /** Pauses while a token is being created. Keeps the connection: if the creation fails, the old token may open no other. */
  hold(): void;
  /** Continues after `hold`, unless the partner paused or played meanwhile. */
  resume(): void;
  /** Tells the token last made, here or in another tab, null for none. Notices about the previous token disappear. */
  tokenLearned(token: string | null): void;
  /** Tells that another tab started to play, or stopped. */
  otherTab(did: 'play' | 'stop'): void;
  /** Connects again at once if it waits for the next attempt, or for data that may never come. */
  retryNow(): void;
  streamBaseLearned(baseUrl: string): void;
};

/** Connects the player's rules with the audio and with time. `activeToken` returns the current token, null when none is valid. */
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
  let heard = false;
  /** When the present connection began to sound, by a monotonic clock. */
  let soundSince: number | null = null;
  let address = '';
  let lastToken: string | null = null;
  let attemptInTurn: ReturnType<typeof setTimeout> | undefined;
  /** Another connection is to take the place of the present one, which is still heard. `opening` or waiting for its next attempt. */
  let replacement: { why: 'starved' | 'late'; failures: number; opening: boolean } | null = null;
  /** When the last replacement took over, by a monotonic clock. */
  let replacedAt: number | null = null;
  /** By how much the sound has fallen behind live since its connection opened. */
  let behindSeconds = 0;
  /** Counts connections, so that answers about an earlier one are ignored. */
  let connections = 0;

  const reactions: Record<Extract<AudioReport, string>, () => void> = {
    sounding: soundStarted,
    dry: () => dispatch({ type: 'soundRanDry' }),
    starved: () => replace('starved'),
    fed: supplyResumed,
    replaced,
    notReplaced: replaceLater,
    silent: () => dispatch({ type: 'silenceBegan' }),
    audible: () => dispatch({ type: 'silenceEnded' }),
    blocked: () => dispatch({ type: 'playBlocked' }),
    pausedElsewhere() {
      dropPlans();
      dispatch({ type: 'pauseRequested' });
    },
    unopened: askWhyUnopened,
    lost: () => connectionLost('none'),
    noOutput: () => connectionLost('noOutput'),
  };
  const audio = createAudio((what) => {
    if (typeof what === 'string') reactions[what]();
    else {
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
    if (!heard) track('play');
    heard = true;
  }

  function connect(): void {
    letGo();
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
    const asking = connections;
    const refusal = await whyUnopened(address);
    if (asking === connections) connectionLost(refusal);
  }

  function connectionLost(cause: LossCause): void {
    const sounded = soundSince !== null;
    const soundLasted = soundSince !== null && performance.now() - soundSince >= LASTING_SOUND_MS;
    soundSince = null;
    const isReplaced = replacement?.opening === true;
    if (replacement !== null) dropPlans();
    behindSeconds = 0;
    dispatch({
      type: 'connectionLost',
      canReconnect: isReplaced || activeToken() !== null,
      cause,
      soundLasted,
    });
    if (state.kind !== 'reconnecting' || isReplaced) return;
    const atOnce = sounded && state.attempt === 1 && cause === 'none';
    if (atOnce) connect();
    else attemptInTurn = setTimeout(connect, backoffMs(state.attempt, LONGEST_RECONNECT_DELAY_MS));
  }

  /** Opens another connection while the present one is still heard; the first attempt is made at once, unless the last was just made. */
  function replace(why: 'starved' | 'late'): void {
    if (replacement !== null) {
      if (why === 'starved') replacement.why = why;
      return;
    }
    const isSoon = replacedAt !== null && performance.now() - replacedAt < LASTING_SOUND_MS;
    replacement = { why, failures: 0, opening: false };
    if (isSoon) replaceLater();
    else openReplacement();
  }

  function openReplacement(): void {
    const token = activeToken();
    if (token === null || streamBase === null) {
      if (replacement?.why === 'starved' && state.kind !== 'dry') dispatch({ type: 'supplyEnded' });
      replacement = null;
      judgeDelay();
    } else if (replacement !== null) {
      replacement.opening = true;
      address = streamUrl(streamBase, token);
      audio.replace(address);
    }
  }

  function replaceLater(): void {
    if (replacement === null) return;
    replacement.failures += 1;
    replacement.opening = false;
    attemptInTurn = setTimeout(openReplacement, backoffMs(replacement.failures, LONGEST_RECONNECT_DELAY_MS));
  }

  function replaced(): void {
    dropPlans();
    replacedAt = performance.now();
    soundSince = replacedAt;
    behindSeconds = 0;
    soundStarted();
  }

  function supplyResumed(): void {
    if (replacement?.why === 'starved') {
      dropPlans();
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

  /** Closes the connection and cancels whatever was planned for it. */
  function letGo(): void {
    dropPlans();
    soundSince = null;
    behindSeconds = 0;
    audio.close();
  }

  function dropPlans(): void {
    connections += 1;
    clearTimeout(attemptInTurn);
    attemptInTurn = undefined;
    replacement = null;
    waitsForStreamBase = false;
  }

  function pause(): void {
    letGo();
    dispatch({ type: 'pauseRequested' });
  }

  return {
    state: () => state,
    dropout: () => dropout,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    attach(element, spare) {
      const detach = audio.attach(element, spare);
      return () => {
        pause();
        detach();
      };
    },
    play() {
      if (!isAtRest(state) || activeToken() === null) return;
      heard = false;
      dispatch({ type: 'playRequested' });
      connect();
    },
    pause,
    peak: audio.peak,
    hold() {
      if (isAtRest(state)) return;
      dropPlans();
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
      if (did === 'play') letGo();
      dispatch({ type: did === 'play' ? 'otherTabPlayed' : 'otherTabStopped' });
    },
    retryNow() {
      if (replacement !== null) {
        if (replacement.opening) return;
        clearTimeout(attemptInTurn);
        return openReplacement();
      }
      const waitsForData = state.kind === 'buffering' && activeToken() !== null;
      if (attemptInTurn !== undefined || waitsForData) connect();
    },
    streamBaseLearned(baseUrl) {
      streamBase = baseUrl;
      if (waitsForStreamBase) connect();
    },
  };
}
