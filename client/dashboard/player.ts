import { track } from '../analytics/track.ts';
import { askStream } from './askStream.ts';
import { type AudioPlayer, type AudioReport, createAudioPlayer } from './audioPlayer.ts';
import { backoffMs } from './backoff.ts';
import {
  isAtRest,
  PLAYER_AT_REST,
  type PlayerAction,
  type PlayerState,
  playerReducer,
  type Refusal,
} from './playerState.ts';
import { streamAddress } from './streamAddress.ts';

const LONGEST_RECONNECT_DELAY_MS = 15_000;

export type Player = {
  state(): PlayerState;
  subscribe(onChange: () => void): () => void;
  attach: AudioPlayer['attach'];
  /** Connects with the token of this moment; waits for the stream's base address when that is not known yet. */
  play(): void;
  pause(): void;
  /** Another tab took the sound over, or let go of it. */
  otherTab(did: 'play' | 'stop'): void;
  /** Connects anew at once where the next attempt is waited for, or data that may never come. */
  retryNow(): void;
  streamBaseLearned(baseUrl: string): void;
};

/** Joins the player's rules to the sound and to time. `activeToken` tells the token of this moment, null when none is valid. */
export function createPlayer(
  activeToken: () => string | null,
  createAudio: (report: (what: AudioReport) => void) => AudioPlayer = createAudioPlayer,
  whyUnopened: (address: string) => Promise<Refusal> = askStream,
): Player {
  const listeners = new Set<() => void>();
  let state = PLAYER_AT_REST;
  let streamBase: string | null = null;
  let waitsForStreamBase = false;
  let heard = false;
  let address = '';
  let attemptInTurn: ReturnType<typeof setTimeout> | undefined;
  /** Answers about an earlier connection are told by it. */
  let connections = 0;

  const audio = createAudio((what) => {
    if (what === 'sounding') soundStarted();
    else if (what === 'dry') dispatch({ type: 'soundRanDry' });
    else if (what === 'blocked') dispatch({ type: 'playBlocked' });
    else if (what === 'pausedElsewhere') dispatch({ type: 'pauseRequested' });
    else if (what === 'unopened') askWhyUnopened();
    else connectionLost('none');
  });

  function dispatch(action: PlayerAction): void {
    state = playerReducer(state, action);
    for (const listener of listeners) listener();
  }

  function soundStarted(): void {
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
      address = streamAddress(streamBase, token);
      audio.open(address);
    }
  }

  async function askWhyUnopened(): Promise<void> {
    const asking = connections;
    const refusal = await whyUnopened(address);
    if (asking === connections) connectionLost(refusal);
  }

  function connectionLost(refusal: Refusal): void {
    dispatch({ type: 'connectionLost', canReconnect: activeToken() !== null, refusal });
    if (state.kind !== 'reconnecting') return;
    attemptInTurn = setTimeout(connect, backoffMs(state.attempt, LONGEST_RECONNECT_DELAY_MS));
  }

  /** Lets go of the connection, and of all that was to become of it. */
  function letGo(): void {
    connections += 1;
    clearTimeout(attemptInTurn);
    attemptInTurn = undefined;
    waitsForStreamBase = false;
    audio.close();
  }

  function pause(): void {
    letGo();
    dispatch({ type: 'pauseRequested' });
  }

  return {
    state: () => state,
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
    otherTab(did) {
      if (did === 'play') letGo();
      dispatch({ type: did === 'play' ? 'otherTabPlayed' : 'otherTabStopped' });
    },
    retryNow() {
      if (attemptInTurn !== undefined || state.kind === 'buffering') connect();
    },
    streamBaseLearned(baseUrl) {
      streamBase = baseUrl;
      if (waitsForStreamBase) connect();
    },
  };
}
