import type { dashboardTexts } from '../dashboardTexts.ts';
import type { TokenState } from '../token/tokenState.ts';
import { isAtRest, isLate, type PlayerState, soundPhase } from './playerState.ts';

const STRUGGLING_FROM_ATTEMPT = 4;

export type PlayerStatus =
  | 'needsToken'
  | 'paused'
  | 'refused'
  | 'connecting'
  | 'playing'
  | 'silent'
  | 'dry'
  | 'reconnecting';

export type PlayerNotice = keyof typeof dashboardTexts.playerNotices;

/** `missing`: it should be heard but is not; `off`: nothing should play. */
export type Sound = 'heard' | 'missing' | 'muted' | 'off';

export type PlayerView = {
  status: PlayerStatus;
  notice: PlayerNotice | null;
  sound: Sound;
  /** Which words tell that nothing is heard: the status, or the notice below a status that tells something else. */
  alarm: 'status' | 'notice' | 'none';
  button: 'play' | 'pause' | 'none';
  /** How far the sound is behind the live edge, 0 when that is too little to tell. */
  behindSeconds: number;
  dropout: { startedAt: number; lastedMs: number } | null;
  /** The present state lasts, unlike that of a connection that opens. */
  isSettled: boolean;
  isAtRest: boolean;
  /** The provider does not accept the token. */
  isRefused: boolean;
  /** A connection is open, which needs no token: the provider checks one only when a connection opens. */
  outlivesToken: boolean;
};

export type Circumstances = {
  token: TokenState['kind'];
  muted: boolean;
  offline: boolean;
  /** The stream's address is unknown because our server does not answer. */
  serverSilent: boolean;
};

const MISSING: PlayerStatus[] = ['dry', 'silent', 'reconnecting', 'refused'];

/** Decides what the page shows of the player. */
export function playerView(state: PlayerState, circumstances: Circumstances): PlayerView {
  const status = statusOf(state, circumstances);
  const sound = soundOf(state, circumstances, status);
  const { heard, beside, dropout, held } = state;
  const atRest = isAtRest(state);
  const canWait = !(beside && beside.failures === 0);
  return {
    status,
    notice: noticeOf(state, circumstances, status),
    sound,
    alarm: !hearsNothing(sound) ? 'none' : MISSING.includes(status) ? 'status' : 'notice',
    button: !atRest ? 'pause' : circumstances.token === 'active' ? 'play' : 'none',
    behindSeconds: heard?.phase === 'sounding' && isLate(heard) && canWait && !held ? heard.behindSeconds : 0,
    dropout: dropout.kind === 'over' ? dropout : null,
    isSettled: !held && status !== 'connecting' && heard?.phase !== 'waiting',
    isAtRest: atRest,
    isRefused: status === 'refused',
    outlivesToken: held || (heard !== null && heard.soundSince !== null && status !== 'dry'),
  };
}

export function hearsNothing(sound: Sound): boolean {
  return sound === 'missing' || sound === 'muted';
}

function statusOf(state: PlayerState, { token }: Circumstances): PlayerStatus {
  const { heard, beside, stoppedBy, silent } = state;
  if (isAtRest(state)) {
    if (token !== 'active') return 'needsToken';
    return stoppedBy === 'refusal' ? 'refused' : 'paused';
  }
  if (heard?.supplyEnded && beside === null) return 'dry';
  switch (soundPhase(state)) {
    case 'sounding':
      return silent ? 'silent' : 'playing';
    case 'missing':
      return 'reconnecting';
    default:
      return 'connecting';
  }
}

function soundOf(state: PlayerState, { muted }: Circumstances, status: PlayerStatus): Sound {
  if (status === 'playing') return muted ? 'muted' : 'heard';
  const isLost = !state.wanted && (state.stoppedBy === 'loss' || state.stoppedBy === 'refusal');
  return isLost || MISSING.includes(status) ? 'missing' : 'off';
}

const RESTING_NOTICES = {
  partner: null,
  browser: 'blocked',
  loss: 'lost',
  refusal: 'refused',
  otherTab: 'otherTab',
} as const;

function noticeOf(
  { wanted, held, stoppedBy, attempts, heard }: PlayerState,
  { offline, serverSilent, token }: Circumstances,
  status: PlayerStatus,
): PlayerNotice | null {
  if (!wanted && stoppedBy === 'loss' && token === 'active') return 'lostPlayable';
  if (!wanted && stoppedBy !== 'partner') return RESTING_NOTICES[stoppedBy];
  if (status === 'dry' || status === 'silent') return status;
  if (!wanted || held) return offline ? 'offlineAtRest' : null;
  if (offline) return status === 'playing' ? 'offlineSounding' : 'offline';
  if (status === 'playing') return token === 'expired' ? 'outlives' : null;
  if (status === 'connecting' && serverSilent) return 'serverSilent';
  if (status !== 'reconnecting' || heard?.phase === 'waiting') return null;
  if (attempts.lastCause === 'noOutput') return 'noOutput';
  if (attempts.likelyRefusals > 0) return 'likelyRefused';
  return attempts.failed < STRUGGLING_FROM_ATTEMPT ? null : 'struggling';
}
