import { track } from '../analytics/track.ts';
import { type AudioPlayer, type AudioReport, createAudioPlayer } from './audioPlayer.ts';
import { backoffMs } from './backoff.ts';
import { PLAYER_AT_REST, type PlayerAction, type PlayerState, playerReducer } from './playerState.ts';
import { streamAddress } from './streamAddress.ts';

const LONGEST_RECONNECT_DELAY_MS = 15_000;

export type Player = {
  state(): PlayerState;
  subscribe(onChange: () => void): () => void;
  attach: AudioPlayer['attach'];
  /** Connects with the token of this moment; waits for the stream's base address when that is not known yet. */
  play(): void;
  pause(): void;
  streamBaseLearned(baseUrl: string): void;
};

/** Joins the player's rules to the sound and to time. `activeToken` tells the token of this moment, null when none is valid. */
export function createPlayer(
  activeToken: () => string | null,
  createAudio: (report: (what: AudioReport) => void) => AudioPlayer = createAudioPlayer,
): Player {
  const listeners = new Set<() => void>();
  let state = PLAYER_AT_REST;
  let streamBase: string | null = null;
  let waitsForStreamBase = false;
  let heard = false;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;

  const audio = createAudio((what) => {
    if (what === 'sounding') soundStarted();
    else if (what === 'dry') dispatch({ type: 'soundRanDry' });
    else if (what === 'blocked') dispatch({ type: 'playBlocked' });
    else if (what === 'pausedElsewhere') dispatch({ type: 'pauseRequested' });
    else connectionLost();
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
    const token = activeToken();
    waitsForStreamBase = streamBase === null;
    if (token === null) dispatch({ type: 'connectionLost', canReconnect: false });
    else if (streamBase !== null) audio.open(streamAddress(streamBase, token));
  }

  function connectionLost(): void {
    dispatch({ type: 'connectionLost', canReconnect: activeToken() !== null });
    if (state.kind !== 'reconnecting') return;
    reconnectTimer = setTimeout(connect, backoffMs(state.attempt, LONGEST_RECONNECT_DELAY_MS));
  }

  function pause(): void {
    clearTimeout(reconnectTimer);
    waitsForStreamBase = false;
    audio.close();
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
      if (state.kind !== 'paused' || activeToken() === null) return;
      heard = false;
      dispatch({ type: 'playRequested' });
      connect();
    },
    pause,
    streamBaseLearned(baseUrl) {
      streamBase = baseUrl;
      if (waitsForStreamBase) connect();
    },
  };
}
