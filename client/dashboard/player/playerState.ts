import type { dashboardTexts } from '../dashboardTexts.ts';
import type { TokenState } from '../token/tokenState.ts';
import type { Dropout } from './dropout.ts';

const STRUGGLING_FROM_ATTEMPT = 4;
/** Unreadable answers in a row. */
const LIKELY_REFUSALS_BELIEVED = 4;

export type PlayerState =
  /** `creation`: a token is being created; the connection is held until that ends. */
  | { kind: 'paused'; because: 'asked' | 'creation' | 'blocked' | 'lost' | 'otherTab' }
  | { kind: 'refused' }
  | { kind: 'connecting' }
  /**
   * Sound plays. `attempt`: how many reconnections it needed, 0 for none; `behindSeconds`: how far the sound has fallen behind the live
   * edge since it began, 0 when that is too little to tell.
   */
  | { kind: 'playing'; attempt: number; behindSeconds: number }
  | { kind: 'silent'; attempt: number; behindSeconds: number }
  /** Nothing more arrives, and no token can open another connection; what is buffered still plays. */
  | { kind: 'dry'; attempt: number; behindSeconds: number }
  | { kind: 'buffering'; attempt: number }
  /** `noOutput`: the last connection ended because this computer could not play its sound. */
  | { kind: 'reconnecting'; attempt: number; likelyRefusals: number; noOutput: boolean };

type Playing = Extract<PlayerState, { behindSeconds: number }>;

/** The provider's answer about a stream that does not open. `likely`: there is an answer, but the browser may not read it. */
export type Refusal = 'certain' | 'likely' | 'none';

export type LossCause = Refusal | 'noOutput';

export type PlayerAction =
  | { type: 'playRequested' }
  | { type: 'pauseRequested' }
  | { type: 'soundStarted' }
  | { type: 'dataAwaited' }
  | { type: 'supplyEnded' }
  | { type: 'supplyResumed' }
  | { type: 'silenceBegan' }
  | { type: 'silenceEnded' }
  | { type: 'delayMeasured'; behindSeconds: number }
  | { type: 'playBlocked' }
  /**
   * The connection ended, failed or fell silent. `canReconnect`: there is a valid token; `soundLasted`: it sounded for so long that
   * this counts as a new loss.
   */
  | { type: 'connectionLost'; canReconnect: boolean; cause: LossCause; soundLasted: boolean }
  | { type: 'holdRequested' }
  /** The creation failed, so the sound goes on. `connected`: the held connection is still open. */
  | { type: 'holdEnded'; connected: boolean }
  | { type: 'tokenChanged' }
  | { type: 'otherTabPlayed' }
  | { type: 'otherTabStopped' };

export const PLAYER_AT_REST: PlayerState = { kind: 'paused', because: 'asked' };

export function isAtRest(state: PlayerState): boolean {
  return state.kind === 'paused' || state.kind === 'refused';
}

export function isHeld(state: PlayerState): boolean {
  return state.kind === 'paused' && state.because === 'creation';
}

export function isPlaying(state: PlayerState): state is Playing {
  return state.kind === 'playing' || state.kind === 'silent' || state.kind === 'dry';
}

export function playerReducer(state: PlayerState, action: PlayerAction): PlayerState {
  if (isAtRest(state)) return resting(state, action);
  switch (action.type) {
    case 'pauseRequested':
      return PLAYER_AT_REST;
    case 'playRequested':
    case 'otherTabStopped':
    case 'holdEnded':
    case 'tokenChanged':
      return state;
    case 'soundStarted':
      // A silent programme stays silent over a new connection until sound is measured.
      return {
        kind: state.kind === 'silent' ? 'silent' : 'playing',
        attempt: attemptOf(state),
        behindSeconds: 0,
      };
    case 'dataAwaited':
      // A dry stream says already that nothing arrives.
      return isPlaying(state) && state.kind !== 'dry' ? { kind: 'buffering', attempt: state.attempt } : state;
    case 'supplyEnded':
      return isPlaying(state) ? { ...state, kind: 'dry' } : state;
    case 'supplyResumed':
      return state.kind === 'dry' ? { ...state, kind: 'playing' } : state;
    case 'silenceBegan':
      return state.kind === 'playing' ? { ...state, kind: 'silent' } : state;
    case 'silenceEnded':
      return state.kind === 'silent' ? { ...state, kind: 'playing' } : state;
    case 'delayMeasured':
      return isPlaying(state) && state.behindSeconds !== action.behindSeconds
        ? { ...state, behindSeconds: action.behindSeconds }
        : state;
    case 'holdRequested':
      return { kind: 'paused', because: 'creation' };
    case 'playBlocked':
      return { kind: 'paused', because: 'blocked' };
    case 'otherTabPlayed':
      return { kind: 'paused', because: 'otherTab' };
    case 'connectionLost':
      return withoutConnection(state, action);
  }
}

function resting(state: PlayerState, action: PlayerAction): PlayerState {
  const because = state.kind === 'paused' ? state.because : 'refused';
  switch (action.type) {
    case 'playRequested':
      return { kind: 'connecting' };
    case 'pauseRequested':
      return because === 'otherTab' ? state : PLAYER_AT_REST;
    case 'holdEnded':
      if (because !== 'creation') return state;
      return action.connected ? { kind: 'buffering', attempt: 0 } : { kind: 'connecting' };
    case 'otherTabPlayed':
      return because === 'creation' ? { kind: 'paused', because: 'otherTab' } : state;
    case 'otherTabStopped':
      return because === 'otherTab' ? PLAYER_AT_REST : state;
    case 'tokenChanged':
      return because === 'refused' || because === 'lost' ? PLAYER_AT_REST : state;
    default:
      return state;
  }
}

function attemptOf(state: PlayerState): number {
  return 'attempt' in state ? state.attempt : 0;
}

function withoutConnection(
  state: PlayerState,
  { canReconnect, cause, soundLasted }: { canReconnect: boolean; cause: LossCause; soundLasted: boolean },
): PlayerState {
  if (!canReconnect) return { kind: 'paused', because: 'lost' };
  const refusalsBefore = state.kind === 'reconnecting' ? state.likelyRefusals : 0;
  const likelyRefusals = cause === 'likely' ? refusalsBefore + 1 : 0;
  if (cause === 'certain' || likelyRefusals === LIKELY_REFUSALS_BELIEVED) return { kind: 'refused' };
  const attempt = (soundLasted ? 0 : attemptOf(state)) + 1;
  return { kind: 'reconnecting', attempt, likelyRefusals, noOutput: cause === 'noOutput' };
}

export function buttonAction(state: PlayerState, tokenActive: boolean): 'play' | 'pause' | 'none' {
  if (!isAtRest(state)) return 'pause';
  return tokenActive ? 'play' : 'none';
}

export type PlayerStatus = 'needsToken' | PlayerState['kind'];

export function playerStatus(state: PlayerState, dropout: Dropout, tokenActive: boolean): PlayerStatus {
  if (isAtRest(state) && !tokenActive) return 'needsToken';
  return state.kind === 'buffering' && dropout.kind === 'ongoing' ? 'reconnecting' : state.kind;
}

/** Returns whether a connection is open, which needs no token: the provider checks one only when a connection opens. */
export function outlivesToken(state: PlayerState): boolean {
  return ['playing', 'silent', 'buffering'].includes(state.kind) || isHeld(state);
}

export type PlayerNotice = keyof typeof dashboardTexts.playerNotices;

const OFFLINE_NOTICES: Partial<Record<PlayerState['kind'], PlayerNotice>> = {
  paused: 'offlineAtRest',
  playing: 'offlineSounding',
  silent: 'silent',
};

export function playerNotice(
  state: PlayerState,
  { offline, serverSilent, token }: { offline: boolean; serverSilent: boolean; token: TokenState['kind'] },
): PlayerNotice | null {
  if (state.kind === 'refused' || state.kind === 'dry') return state.kind;
  if (state.kind === 'paused' && state.because === 'lost' && token === 'active') return 'lostPlayable';
  if (state.kind === 'paused' && state.because !== 'asked' && state.because !== 'creation')
    return state.because;
  if (offline) return OFFLINE_NOTICES[state.kind] ?? 'offline';
  if (state.kind === 'paused') return null;
  if (state.kind === 'silent') return 'silent';
  if (state.kind === 'playing') return token === 'expired' ? 'outlives' : null;
  if (state.kind === 'connecting' && serverSilent) return 'serverSilent';
  if (state.kind !== 'reconnecting') return null;
  if (state.noOutput) return 'noOutput';
  if (state.likelyRefusals > 0) return 'likelyRefused';
  return state.attempt < STRUGGLING_FROM_ATTEMPT ? null : 'struggling';
}
