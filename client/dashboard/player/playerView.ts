import type { ServerTrouble } from '../../api/retry.ts';
import type { dashboardTexts } from '../dashboardTexts.ts';
import {
  isAtRest,
  isDry,
  isFarBehind,
  isMissing,
  type PlayerState,
  soundPhase,
} from '../machine/playerState.ts';
import { isRefused, type Reconnection } from '../machine/reconnectionState.ts';
import type { TokenState } from '../machine/tokenState.ts';

export type PlayerStatus = keyof typeof dashboardTexts.playerStatus;

export type PlayerNotice = keyof typeof dashboardTexts.playerNotices;

/** `missing`: it should be heard but is not, or only until the buffer is empty; `off`: nothing should play. */
export type Audibility = 'playing' | 'missing' | 'muted' | 'off';

export type PlayerView = {
  status: PlayerStatus;
  notice: PlayerNotice | null;
  audibility: Audibility;
  /** Which words tell that nothing is heard: the status, or the notice below a status that tells something else. */
  alarm: 'status' | 'notice' | 'none';
  button: 'play' | 'pause' | 'none';
  /** The partner waits for a token. */
  isCreating: boolean;
  canRetry: boolean;
  /** A small button ends the waiting and the alarm, since the large one does not. */
  canStopWaiting: boolean;
  /** How far the sound is behind the live edge, 0 when that is too little to tell. */
  behindSeconds: number;
  /** Since when nothing is heard, in epoch milliseconds. */
  missingSince: number | null;
  dropout: { startedAt: number; lastedMs: number } | null;
  isAtRest: boolean;
  isRefused: boolean;
  needsPlay: boolean;
  /** A connection is open, which needs no token: the provider checks one only when a connection opens. */
  outlivesToken: boolean;
};

export type Circumstances = {
  token: TokenState['kind'];
  muted: boolean;
  offline: boolean;
  /** Why the stream's address is still unknown, if our server is the cause. */
  serverTrouble: ServerTrouble | null;
};

const ALARMING: PlayerStatus[] = ['dry', 'silent', 'starving', 'reconnecting', 'refused', 'muted'];

export function playerView(state: PlayerState, circumstances: Circumstances): PlayerView {
  const { wanted, held, obstacle, connection, replacement, dropout } = state;
  const status = statusOf(state, circumstances);
  const audibility = audibilityOf(state, circumstances, status);
  const button = buttonOf(state, circumstances, status);
  const isDelayed = connection?.phase === 'playing' && isFarBehind(connection) && !held;
  const isJoining = replacement !== null && replacement.failures === 0;
  return {
    status,
    notice: noticeOf(state, circumstances, status),
    audibility,
    alarm: !hearsNothing(audibility) ? 'none' : ALARMING.includes(status) ? 'status' : 'notice',
    button,
    isCreating: state.creations.underWay === 'pressed',
    canRetry: status === 'reconnecting' && connection === null,
    canStopWaiting: wanted && !held && button !== 'pause' && status !== 'refused',
    behindSeconds: isDelayed && !isJoining ? connection.behindSeconds : 0,
    missingSince: dropout.kind === 'ongoing' && audibility === 'missing' ? dropout.startedAt : null,
    dropout: dropout.kind === 'over' ? dropout : null,
    isAtRest: isAtRest(state),
    isRefused: status === 'refused',
    needsPlay: obstacle !== null && obstacle !== 'refused' && button === 'play',
    outlivesToken: held || (soundPhase(state) === 'playing' && status !== 'dry'),
  };
}

export function hearsNothing(audibility: Audibility): boolean {
  return audibility === 'missing' || audibility === 'muted';
}

function statusOf(state: PlayerState, { token, muted }: Circumstances): PlayerStatus {
  const { wanted, held, obstacle, connection, replacement, reconnection, isProgrammeSilent } = state;
  const canPlay = token === 'active' || (connection !== null && !held);
  if (isAtRest(state)) {
    if (!canPlay) return 'needsToken';
    return wanted && obstacle === 'refused' ? 'refused' : 'paused';
  }
  if (connection === null && reconnection.dueAt === null && !canPlay) return 'needsToken';
  switch (soundPhase(state)) {
    case 'playing':
      if (isDry(state)) return 'dry';
      if (isProgrammeSilent) return 'silent';
      return muted ? 'muted' : 'playing';
    case 'lost':
      return connection?.phase === 'starving' && !replacement?.open ? 'starving' : 'reconnecting';
    default:
      return 'connecting';
  }
}

function audibilityOf(state: PlayerState, { muted }: Circumstances, status: PlayerStatus): Audibility {
  // Its token may expire before the first sound.
  const waitsForToken = state.wanted && !state.held && status === 'needsToken';
  if (waitsForToken || isMissing(state)) return 'missing';
  if (soundPhase(state) !== 'playing') return 'off';
  return muted ? 'muted' : 'playing';
}

function buttonOf(state: PlayerState, { token }: Circumstances, status: PlayerStatus): PlayerView['button'] {
  if (status === 'needsToken') return 'none';
  if (!isAtRest(state)) return 'pause';
  return token === 'active' || state.connection !== null ? 'play' : 'none';
}

function noticeOf(
  state: PlayerState,
  { offline, serverTrouble, token }: Circumstances,
  status: PlayerStatus,
): PlayerNotice | null {
  const { wanted, held, obstacle, otherTabPlays, creations, reconnection } = state;
  if (otherTabPlays) return 'otherTab';
  if (!wanted || held) return offline ? 'offlineAtRest' : null;
  if (creations.underWay === 'automatic') return 'creating';
  if (obstacle !== null && !(obstacle === 'refused' && status === 'needsToken')) return obstacle;
  if (status === 'needsToken') return 'lost';
  if (status === 'dry' || status === 'silent') return status;
  if (offline) return soundPhase(state) === 'playing' ? 'offlinePlaying' : 'offline';
  if (status === 'playing') return token === 'expired' ? 'outlives' : null;
  if (status === 'starving') return token === 'active' ? null : 'starving';
  if (status === 'connecting') return serverTrouble;
  return status === 'reconnecting' ? noticeOfReconnection(reconnection) : null;
}

function noticeOfReconnection(reconnection: Reconnection): PlayerNotice | null {
  if (reconnection.answer === 'audio') return null;
  if (reconnection.answer === 'refused') return isRefused(reconnection) ? 'refused' : 'refusedOnce';
  return reconnection.answer;
}
