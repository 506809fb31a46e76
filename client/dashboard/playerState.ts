/** Attempts without success after which the partner is told that this takes long. */
const STRUGGLING_FROM_ATTEMPT = 4;

export type PlayerState =
  | { kind: 'paused'; because: 'asked' | 'blocked' | 'lost' }
  | { kind: 'connecting' }
  | { kind: 'playing' }
  | { kind: 'reconnecting'; attempt: number };

export type PlayerAction =
  | { type: 'playRequested' }
  | { type: 'pauseRequested' }
  | { type: 'soundStarted' }
  | { type: 'soundRanDry' }
  /** The browser allows no sound without a click (`NotAllowedError`). */
  | { type: 'playBlocked' }
  /** The connection ended, failed or fell silent; `canReconnect`: there is a token that still opens one. */
  | { type: 'connectionLost'; canReconnect: boolean };

export const PLAYER_AT_REST: PlayerState = { kind: 'paused', because: 'asked' };

/** The player's rules: playing is only what sounds, and a lost stream is tried again while a token opens it. */
export function playerReducer(state: PlayerState, action: PlayerAction): PlayerState {
  if (action.type === 'pauseRequested') return PLAYER_AT_REST;
  if (state.kind === 'paused') return action.type === 'playRequested' ? { kind: 'connecting' } : state;
  switch (action.type) {
    case 'playRequested':
      return state;
    case 'soundStarted':
      return { kind: 'playing' };
    case 'soundRanDry':
      return state.kind === 'playing' ? { kind: 'connecting' } : state;
    case 'playBlocked':
      return { kind: 'paused', because: 'blocked' };
    case 'connectionLost':
      if (!action.canReconnect) return { kind: 'paused', because: 'lost' };
      return { kind: 'reconnecting', attempt: state.kind === 'reconnecting' ? state.attempt + 1 : 1 };
  }
}

/** What the big button does on a click: a pause is always possible, play only with an active token. */
export function buttonAction(state: PlayerState, tokenActive: boolean): 'play' | 'pause' | 'none' {
  if (state.kind !== 'paused') return 'pause';
  return tokenActive ? 'play' : 'none';
}

export type PlayerStatus = 'needsToken' | 'paused' | 'connecting' | 'playing' | 'reconnecting';

/** Which status text stands under the button (specification, section 4). */
export function playerStatus(state: PlayerState, tokenActive: boolean): PlayerStatus {
  return state.kind === 'paused' && !tokenActive ? 'needsToken' : state.kind;
}

export type PlayerNotice = 'blocked' | 'lost' | 'retrying' | 'struggling';

/** What there is to say beyond the status. */
export function playerNotice(state: PlayerState): PlayerNotice | null {
  if (state.kind === 'paused') return state.because === 'asked' ? null : state.because;
  if (state.kind !== 'reconnecting') return null;
  return state.attempt < STRUGGLING_FROM_ATTEMPT ? 'retrying' : 'struggling';
}
