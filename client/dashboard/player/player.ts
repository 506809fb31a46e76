import { streamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import { backoffMs } from '../../api/retry.ts';
import { askStream } from './askStream.ts';
import { type AudioPlayer, type AudioReport, createAudioPlayer } from './audioPlayer.ts';
import {
  isAtRest,
  isHeld,
  PLAYER_AT_REST,
  type PlayerAction,
  type PlayerState,
  playerReducer,
  type Refusal,
} from './playerState.ts';

const LONGEST_RECONNECT_DELAY_MS = 15_000;

/** Sound that lasted this long came to stay: what goes wrong after it is a new trouble, not the old one. */
const LASTING_SOUND_MS = 10_000;

export type Player = {
  state(): PlayerState;
  subscribe(onChange: () => void): () => void;
  attach: AudioPlayer['attach'];
  /** Connects with the token of this moment; waits for the stream's base address when that is not known yet. */
  play(): void;
  pause(): void;
  /** Pauses for as long as a token is being created. The connection is kept: should that fail, the old token may open none. */
  hold(): void;
  /** Goes on with what `hold` paused, unless somebody paused or played meanwhile. */
  resume(): void;
  /** The token last made, here or in another tab, null for none. What was said of the one before is forgotten. */
  tokenLearned(token: string | null): void;
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
  /** Since when the present connection sounds, by a clock that never goes back. */
  let soundSince: number | null = null;
  let address = '';
  let lastToken: string | null = null;
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

  function connectionLost(refusal: Refusal): void {
    const soundLasted = soundSince !== null && performance.now() - soundSince >= LASTING_SOUND_MS;
    soundSince = null;
    dispatch({ type: 'connectionLost', canReconnect: activeToken() !== null, refusal, soundLasted });
    if (state.kind !== 'reconnecting') return;
    attemptInTurn = setTimeout(connect, backoffMs(state.attempt, LONGEST_RECONNECT_DELAY_MS));
  }

  /** Lets go of the connection, and of all that was to become of it. */
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
