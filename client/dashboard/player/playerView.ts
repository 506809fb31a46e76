import type { ServerTrouble } from '../../page/pageState.ts';
import { type Dropout, isAtRest, isFarBehind, type PlayerState } from '../../page/player/playerState.ts';
import { isPlaying, isReplacing, type Sound, soundOf } from '../../page/player/sound.ts';
import { isUndecodable } from '../../page/player/streamAnswer.ts';
import type { TokenState } from '../../page/tokenState.ts';
import type { dashboardTexts } from '../dashboardTexts.ts';

/** As `Sound`, but `paused` at rest, `needsToken` where nothing can play, and `muted` if the partner muted it. */
export type PlayerStatus = keyof typeof dashboardTexts.playerStatus;

export type PlayerHint = keyof typeof dashboardTexts.playerHints;

export type PlayerAdvice = keyof typeof dashboardTexts.playerAdvice;

export type PlayerView = {
  status: PlayerStatus;
  hint: PlayerHint | null;
  /** The act that the hint advises, if the partner can do it now. */
  advice: PlayerAdvice | null;
  /** The text that says that wanted sound is not heard: the status, or the hint if the status says something else. */
  alarm: 'status' | 'hint' | 'none';
  button: 'play' | 'pause' | 'none';
  /** The partner waits for a token; false while the page creates one by itself. */
  isCreating: boolean;
  canRetry: boolean;
  /** Shows a small button that ends the waiting and the alarm: the large one cannot. */
  canStopWaiting: boolean;
  behindSeconds: number;
  dropout: Dropout | null;
  needsPlay: boolean;
  /** Sound plays on whatever becomes of its token: the provider checks one only when a connection opens. */
  outlivesToken: boolean;
};

export type Circumstances = {
  token: TokenState['kind'];
  /** The creation under way was asked for by the partner or by the page. */
  creating: 'partner' | 'page' | null;
  muted: boolean;
  offline: boolean;
  /** Why the stream's address is still unknown, if our server is the cause. */
  serverTrouble: ServerTrouble | null;
  sessionEnded: boolean;
};

const ALARMING: PlayerStatus[] = ['dry', 'silent', 'starving', 'reconnecting', 'refused', 'muted'];

export function playerView(state: PlayerState, circumstances: Circumstances): PlayerView {
  const { wanted, held, obstacle, connection, replace, dropout } = state;
  const sound = soundOf(state);
  const status = statusOf(sound, state, circumstances);
  const button = status === 'needsToken' ? 'none' : isAtRest(state) ? 'play' : 'pause';
  const hint = hintOf(sound, state, circumstances, status);
  const waits = wanted && !held && (status === 'needsToken' || status === 'paused');
  const isDelayed = connection?.phase === 'playing' && isFarBehind(connection) && !held;
  // After a reload only a press of play, or a token that the partner creates, brings the sound back.
  const waitsForPress = obstacle === 'reloaded' && button === 'play';
  const isJoining = isReplacing(state) && replace.count === 0;
  return {
    status,
    hint,
    advice: adviceOf(hint, button, circumstances),
    alarm: ALARMING.includes(status) ? 'status' : waits ? 'hint' : 'none',
    button,
    isCreating: circumstances.creating === 'partner',
    canRetry: status === 'reconnecting' && connection === null,
    canStopWaiting: waits && !waitsForPress,
    behindSeconds: isDelayed && !isJoining ? connection.behindSeconds : 0,
    dropout,
    needsPlay: obstacle !== null && status === 'paused',
    outlivesToken: held || sound === 'playing' || sound === 'silent',
  };
}

function statusOf(sound: Sound, state: PlayerState, { token, muted }: Circumstances): PlayerStatus {
  const { connection, held, reconnect } = state;
  const canPlay = token === 'active' || (connection !== null && !held);
  if (!canPlay && reconnect.dueAt === null) return 'needsToken';
  switch (sound) {
    case 'off':
    case 'blocked':
    case 'pausedOutside':
    case 'reloaded':
      return 'paused';
    case 'playing':
      return muted ? 'muted' : 'playing';
    default:
      return sound;
  }
}

function hintOf(
  sound: Sound,
  { otherTabPlays, obstacle, answers, hasPlayed }: PlayerState,
  { offline, serverTrouble, token, creating }: Circumstances,
  status: PlayerStatus,
): PlayerHint | null {
  if (otherTabPlays) return 'otherTab';
  if (sound === 'off') return offline ? 'offlineAtRest' : null;
  if (creating === 'page') return 'creating';
  if (obstacle !== null && !(obstacle === 'refused' && status === 'needsToken')) return obstacle;
  if (status === 'needsToken') return 'lost';
  if (sound === 'dry' || sound === 'silent') return sound;
  if (offline) return isPlaying(sound) ? 'offlinePlaying' : 'offline';
  if (status === 'playing') return token === 'expired' ? 'outlives' : null;
  if (sound === 'starving') return token === 'active' ? null : sound;
  if (sound === 'connecting') return serverTrouble;
  if (sound !== 'reconnecting') return null;
  if (answers.last === 'audio') return isUndecodable(answers) && !hasPlayed ? 'undecodable' : null;
  return answers.last === 'refused' ? 'refusedOnce' : answers.last;
}

function adviceOf(
  hint: PlayerHint | null,
  button: PlayerView['button'],
  { sessionEnded, serverTrouble }: Circumstances,
): PlayerAdvice | null {
  switch (hint) {
    case 'blocked':
    case 'reloaded':
      // Where another page answers, loading anew may help, and play cannot.
      return button === 'play' && serverTrouble !== 'otherPage' ? hint : null;
    case 'dry':
    case 'starving':
    case 'refused':
      return sessionEnded ? null : hint;
    default:
      return null;
  }
}
