import { streamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import { backoffMs } from '../../api/retry.ts';
import { askStream } from './askStream.ts';
import { type AudioPlayer, type AudioReport, createAudioPlayer } from './audioPlayer.ts';
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

export type Player = {
  state(): PlayerState;
  dropout(): Dropout;
  subscribe(onChange: () => void): () => void;
  attach: AudioPlayer['attach'];
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
  createAudio: (report: (what: AudioReport) => void) => AudioPlayer = createAudioPlayer,
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
  /** Counts connections, so that answers about an earlier one are ignored. */
  let connections = 0;

  const audio = createAudio((what) => {
    if (what === 'sounding') soundStarted();
    else if (what === 'dry') dispatch({ type: 'soundRanDry' });
    else if (what === 'blocked') dispatch({ type: 'playBlocked' });
    else if (what === 'pausedElsewhere') dispatch({ type: 'pauseRequested' });
    else if (what === 'unopened') askWhyUnopened();
    else connectionLost(what === 'noOutput' ? 'noOutput' : 'none');
  });

  function dispatch(action: PlayerAction): void {
    const before = state;
    state = playerReducer(before, action);
    dropout = dropoutAfter(dropout, before, state, { epochMs: Date.now(), monotonicMs: performance.now() });
    for (const listener of listeners) listener();
  }

  function soundStarted(): void {
    soundSince ??= performance.now();
    dispatch({ type: 'soundStarted' });
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
    const soundLasted = soundSince !== null && performance.now() - soundSince >= LASTING_SOUND_MS;
    soundSince = null;
    dispatch({ type: 'connectionLost', canReconnect: activeToken() !== null, cause, soundLasted });
    if (state.kind !== 'reconnecting') return;
    attemptInTurn = setTimeout(connect, backoffMs(state.attempt, LONGEST_RECONNECT_DELAY_MS));
  }

  /** Closes the connection and cancels whatever was planned for it. */
  function letGo(): void {
    dropPlans();
    soundSince = null;
    audio.close();
  }

  function dropPlans(): void {
    connections += 1;
    clearTimeout(attemptInTurn);
    attemptInTurn = undefined;
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
    attach(element) {
      const detach = audio.attach(element);
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
    hold() {
      if (isAtRest(state)) return;
      dropPlans();
      audio.hold();
      dispatch({ type: 'holdRequested' });
    },
    resume() {
      if (!isHeld(state)) return;
      const connected = audio.resume();
      dispatch({ type: 'holdEnded', connected });
      if (!connected) connect();
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
      const waitsForData = state.kind === 'buffering' && activeToken() !== null;
      if (attemptInTurn !== undefined || waitsForData) connect();
    },
    streamBaseLearned(baseUrl) {
      streamBase = baseUrl;
      if (waitsForStreamBase) connect();
    },
  };
}
