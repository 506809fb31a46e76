/** Attempts without success after which the partner is told that this takes long. */
const STRUGGLING_FROM_ATTEMPT = 4;

/** Answers in a row that look like a refusal, and cannot be told from a fault, after which it is taken for one. */
const LIKELY_REFUSALS_BELIEVED = 4;

export type PlayerState =
  | { kind: 'paused'; because: 'asked' | 'blocked' | 'lost' | 'otherTab' }
  /** The provider lets nobody in with this token. */
  | { kind: 'refused' }
  | { kind: 'connecting' }
  | { kind: 'playing' }
  /** The connection stands, but the sound ran dry. */
  | { kind: 'buffering' }
  | { kind: 'reconnecting'; attempt: number; likelyRefusals: number };

/** What the provider says to a stream that does not open: `likely`, an answer that the browser may not read. */
export type Refusal = 'certain' | 'likely' | 'none';

export type PlayerAction =
  | { type: 'playRequested' }
  | { type: 'pauseRequested' }
  | { type: 'soundStarted' }
  | { type: 'soundRanDry' }
  /** The browser allows no sound without a click (`NotAllowedError`). */
  | { type: 'playBlocked' }
  /** The connection ended, failed or fell silent; `canReconnect`: there is a token that still opens one. */
  | { type: 'connectionLost'; canReconnect: boolean; refusal: Refusal }
  | { type: 'otherTabPlayed' }
  | { type: 'otherTabStopped' };

export const PLAYER_AT_REST: PlayerState = { kind: 'paused', because: 'asked' };

/** Whether nothing plays, nor is going to. */
export function isAtRest(state: PlayerState): boolean {
  return state.kind === 'paused' || state.kind === 'refused';
}

/** The player's rules: playing is only what sounds, and a lost stream is tried again while a token opens it. */
export function playerReducer(state: PlayerState, action: PlayerAction): PlayerState {
  if (action.type === 'pauseRequested') return PLAYER_AT_REST;
  if (isAtRest(state)) return resting(state, action);
  switch (action.type) {
    case 'playRequested':
    case 'otherTabStopped':
      return state;
    case 'soundStarted':
      return { kind: 'playing' };
    case 'soundRanDry':
      return state.kind === 'playing' ? { kind: 'buffering' } : state;
    case 'playBlocked':
      return { kind: 'paused', because: 'blocked' };
    case 'otherTabPlayed':
      return { kind: 'paused', because: 'otherTab' };
    case 'connectionLost':
      return withoutConnection(state, action);
  }
}

function resting(state: PlayerState, { type }: PlayerAction): PlayerState {
  if (type === 'playRequested') return { kind: 'connecting' };
  const blamesOtherTab = state.kind === 'paused' && state.because === 'otherTab';
  return type === 'otherTabStopped' && blamesOtherTab ? PLAYER_AT_REST : state;
}

function withoutConnection(
  state: PlayerState,
  { canReconnect, refusal }: { canReconnect: boolean; refusal: Refusal },
): PlayerState {
  if (!canReconnect) return { kind: 'paused', because: 'lost' };
  const before = state.kind === 'reconnecting' ? state : { attempt: 0, likelyRefusals: 0 };
  const likelyRefusals = refusal === 'likely' ? before.likelyRefusals + 1 : 0;
  if (refusal === 'certain' || likelyRefusals === LIKELY_REFUSALS_BELIEVED) return { kind: 'refused' };
  return { kind: 'reconnecting', attempt: before.attempt + 1, likelyRefusals };
}

/** What the big button does on a click: a pause is always possible, play only with an active token. */
export function buttonAction(state: PlayerState, tokenActive: boolean): 'play' | 'pause' | 'none' {
  if (!isAtRest(state)) return 'pause';
  return tokenActive ? 'play' : 'none';
}

export type PlayerStatus = 'needsToken' | PlayerState['kind'];

/** Which status text stands under the button (specification, section 4). */
export function playerStatus(state: PlayerState, tokenActive: boolean): PlayerStatus {
  return isAtRest(state) && !tokenActive ? 'needsToken' : state.kind;
}

export type PlayerNotice =
  | 'blocked'
  | 'lost'
  | 'otherTab'
  | 'refused'
  | 'offline'
  | 'serverSilent'
  | 'likelyRefused'
  | 'retrying'
  | 'struggling';

/**
 * What there is to say beyond the status. `offline`: the browser knows of no network; `serverSilent`: our server has not said
 * yet where the stream is.
 */
export function playerNotice(
  state: PlayerState,
  { offline, serverSilent }: { offline: boolean; serverSilent: boolean },
): PlayerNotice | null {
  if (state.kind === 'refused') return 'refused';
  if (state.kind === 'paused') return state.because === 'asked' ? null : state.because;
  if (offline) return 'offline';
  if (state.kind === 'connecting' && serverSilent) return 'serverSilent';
  if (state.kind !== 'reconnecting') return null;
  if (state.likelyRefusals > 0) return 'likelyRefused';
  return state.attempt < STRUGGLING_FROM_ATTEMPT ? 'retrying' : 'struggling';
}
