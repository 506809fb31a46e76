/** Attempts without success after which the partner is told that this takes long. */
const STRUGGLING_FROM_ATTEMPT = 4;

/** Answers in a row that look like a refusal, and cannot be told from a fault, after which it is taken for one. */
const LIKELY_REFUSALS_BELIEVED = 4;

export type PlayerState =
  /** `creation`: of a token, for whose end the connection is held. */
  | { kind: 'paused'; because: 'asked' | 'creation' | 'blocked' | 'lost' | 'otherTab' }
  /** The provider lets nobody in with this token. */
  | { kind: 'refused' }
  | { kind: 'connecting' }
  /** `attempt`: the one that led to this sound, which has not lasted yet; 0 when none was needed. */
  | { kind: 'playing'; attempt: number }
  /** The connection stands, but the sound ran dry. */
  | { kind: 'buffering'; attempt: number }
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
  /**
   * The connection ended, failed or fell silent. `canReconnect`: there is a token that still opens one; `soundLasted`: it had
   * sounded for long enough to call this a new trouble.
   */
  | { type: 'connectionLost'; canReconnect: boolean; refusal: Refusal; soundLasted: boolean }
  /** A token is being created: the sound pauses for now. */
  | { type: 'holdRequested' }
  /** No token came of it: the sound goes on, on the connection that was held if it still stands. */
  | { type: 'holdEnded'; connected: boolean }
  | { type: 'tokenChanged' }
  | { type: 'otherTabPlayed' }
  | { type: 'otherTabStopped' };

export const PLAYER_AT_REST: PlayerState = { kind: 'paused', because: 'asked' };

/** Whether nothing plays, nor is going to. */
export function isAtRest(state: PlayerState): boolean {
  return state.kind === 'paused' || state.kind === 'refused';
}

/** Whether it is paused only for as long as a token is being created. */
export function isHeld(state: PlayerState): boolean {
  return state.kind === 'paused' && state.because === 'creation';
}

/** The player's rules: playing is only what sounds, and a lost stream is tried again while a token opens it. */
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
      return { kind: 'playing', attempt: attemptOf(state) };
    case 'soundRanDry':
      return state.kind === 'playing' ? { kind: 'buffering', attempt: state.attempt } : state;
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

/** The attempts made since sound last came to stay. */
function attemptOf(state: PlayerState): number {
  return 'attempt' in state ? state.attempt : 0;
}

function withoutConnection(
  state: PlayerState,
  { canReconnect, refusal, soundLasted }: { canReconnect: boolean; refusal: Refusal; soundLasted: boolean },
): PlayerState {
  if (!canReconnect) return { kind: 'paused', because: 'lost' };
  const refusalsBefore = state.kind === 'reconnecting' ? state.likelyRefusals : 0;
  const likelyRefusals = refusal === 'likely' ? refusalsBefore + 1 : 0;
  if (refusal === 'certain' || likelyRefusals === LIKELY_REFUSALS_BELIEVED) return { kind: 'refused' };
  return { kind: 'reconnecting', attempt: (soundLasted ? 0 : attemptOf(state)) + 1, likelyRefusals };
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
  | 'offlineSounding'
  | 'offlineAtRest'
  | 'serverSilent'
  | 'likelyRefused'
  | 'retrying'
  | 'struggling';

/** What no network means where it is not plain that the sound has stopped for want of it. */
const OFFLINE_NOTICES: Partial<Record<PlayerState['kind'], PlayerNotice>> = {
  paused: 'offlineAtRest',
  playing: 'offlineSounding',
};

/**
 * What there is to say beyond the status. `offline`: the browser knows of no network; `serverSilent`: our server has not said
 * yet where the stream is.
 */
export function playerNotice(
  state: PlayerState,
  { offline, serverSilent }: { offline: boolean; serverSilent: boolean },
): PlayerNotice | null {
  if (state.kind === 'refused') return 'refused';
  if (state.kind === 'paused' && state.because !== 'asked' && state.because !== 'creation')
    return state.because;
  if (offline) return OFFLINE_NOTICES[state.kind] ?? 'offline';
  if (state.kind === 'paused') return null;
  if (state.kind === 'connecting' && serverSilent) return 'serverSilent';
  if (state.kind !== 'reconnecting') return null;
  if (state.likelyRefusals > 0) return 'likelyRefused';
  return state.attempt < STRUGGLING_FROM_ATTEMPT ? 'retrying' : 'struggling';
}
