import { MINUTE_MS } from '../../shared/durations.ts';
import type { Common, ServerTrouble, SignedIn } from '../page/pageState.ts';
import { type Dropout, isFarBehind, type PlayerState } from '../page/player/playerState.ts';
import { isPlaying, isReplacing, type Sound, soundOf } from '../page/player/sound.ts';
import { isHanging, isUndecodable } from '../page/player/streamAnswer.ts';
import type { SessionEnd } from '../page/sessionEnd.ts';
import type { TokenState } from '../page/tokenState.ts';
import type { dashboardTexts } from './dashboardTexts.ts';

export const LAST_MINUTES = 2;

/**
 * The sound that is heard, or why there is none. `held`: the partner creates a token meanwhile; `elsewhere`: another tab
 * plays; `cut`: an end of the session ended the sound.
 */
export type Situation = Sound | 'held' | 'elsewhere' | 'muted' | 'cut';

type Status = keyof typeof dashboardTexts.playerStatus;
export type Hint = keyof typeof dashboardTexts.playerHints;
export type Advice = keyof typeof dashboardTexts.playerAdvice;

type Row = {
  status: Status;
  button: 'play' | 'pause';
  /** The text that says that wanted sound is not heard: the status, or the hint if the status says something else. */
  alarm?: 'status' | 'hint';
  hint?: Hint | ((facts: Facts) => Hint | null);
  advises?: 'play' | 'create';
  /** Sound plays on after its token has expired: the provider checks a token only when a connection opens. */
  outlivesToken?: true;
};

/** The status, button and hint of each situation. `viewOf` changes them where no token is valid and no sound plays. */
export const ROWS: Record<Situation, Row> = {
  off: { status: 'paused', button: 'play', hint: atRest },
  held: { status: 'paused', button: 'play', hint: atRest, outlivesToken: true },
  cut: { status: 'paused', button: 'play', alarm: 'hint', hint: ({ cut }) => cut, advises: 'play' },
  elsewhere: { status: 'paused', button: 'play', hint: 'otherTab' },
  connecting: { status: 'connecting', button: 'pause', hint: connecting },
  playing: { status: 'playing', button: 'pause', hint: playing, outlivesToken: true },
  muted: { status: 'muted', button: 'pause', alarm: 'status', outlivesToken: true },
  silent: { status: 'silent', button: 'pause', alarm: 'status', hint: 'silent', outlivesToken: true },
  dry: { status: 'dry', button: 'pause', alarm: 'status', hint: 'dry', advises: 'create' },
  starving: { status: 'starving', button: 'pause', alarm: 'status', hint: starving, advises: 'create' },
  reconnecting: { status: 'reconnecting', button: 'pause', alarm: 'status', hint: reconnecting },
  refused: { status: 'refused', button: 'play', alarm: 'status', hint: refused, advises: 'create' },
  blocked: { status: 'paused', button: 'play', alarm: 'hint', hint: 'blocked', advises: 'play' },
  reloaded: { status: 'paused', button: 'play', alarm: 'hint', hint: 'reloaded', advises: 'play' },
  pausedOutside: { status: 'paused', button: 'play', alarm: 'hint', hint: 'pausedOutside' },
};

/**
 * How the token looks. `outlived` does not alarm: sound plays on over its open connection. `refused`: the provider does
 * not accept the token, however much time is left.
 */
export type Urgency = 'none' | 'calm' | 'last' | 'refused' | 'expired' | 'outlived';

export type View = {
  situation: Situation;
  status: Status;
  hint: Hint | null;
  /** The act that the hint advises, if the partner can do it now. */
  advice: Advice | null;
  alarm: 'status' | 'hint' | 'none';
  button: 'play' | 'pause' | 'none';
  urgency: Urgency;
  /** The one act that the page proposes by a filled button. */
  next: 'create' | 'play' | 'copy' | 'none';
  /** The partner waits for a token; false while the page creates one by itself. */
  isCreating: boolean;
  createPauses: boolean;
  /** Whether the partner can ask for the next attempt now, or waits for one; null if none is to come. */
  retry: 'possible' | 'underWay' | null;
  /** Shows a small button that ends the waiting and the alarm: the large one cannot. */
  canStopWaiting: boolean;
  behindSeconds: number;
  dropout: Dropout | null;
  sessionEnded: boolean;
  /** Why the stream's address is still unknown, if our server is the cause. */
  serverTrouble: ServerTrouble | null;
};

/** Facts beside the page's state that the dashboard shows. */
export type Circumstances = { token: TokenState; muted: boolean; offline: boolean };

type Facts = {
  player: PlayerState;
  cut: SessionEnd | null;
  token: TokenState;
  offline: boolean;
  /** Why our server does not answer, or not as it should. */
  trouble: ServerTrouble | null;
  serverTrouble: ServerTrouble | null;
};

export function viewOf(
  { trouble, ended, dashboard }: Pick<Common, 'trouble'> & Pick<SignedIn, 'ended' | 'dashboard'>,
  { token, muted, offline }: Circumstances,
): View {
  const { player, creation, streamBase, cut } = dashboard;
  const { wanted, held, obstacle, connection, reconnect, replace, dropout } = player;
  const situation = situationOf(player, muted, cut);
  const row = ROWS[situation];
  const canPlay = token.kind === 'active' || (connection !== null && !held) || reconnect.dueAt !== null;
  const button = canPlay ? row.button : 'none';
  const isCut = situation === 'cut';
  const waits = isCut || (wanted && !held && (!canPlay || row.status === 'paused'));
  const serverTrouble = streamBase === null ? trouble : null;
  const lacksAddress = streamBase === null && (trouble !== null || dashboard.questionNumber === null);
  const facts = { player, cut, token, offline, trouble, serverTrouble };
  const hint = hintOf(situation, canPlay, creation?.by === 'page', facts);
  const isAdvised = row.advises === 'play' ? canPlay && serverTrouble !== 'otherPage' : ended === null;
  const isDelayed = connection?.phase === 'playing' && isFarBehind(connection) && !held;
  const isJoining = isReplacing(player) && replace.count === 0;
  const urgency = urgencyOf(token, canPlay ? situation : 'off', row.outlivesToken);
  const isResumable = canPlay && (isCut || obstacle !== null) && row.status === 'paused';
  const needsPlay = isResumable || hint === 'refusedAgain';
  const isCreating = creation?.by === 'partner';
  return {
    situation,
    status: canPlay ? statusOf(row, hint) : 'needsToken',
    hint,
    advice: row.advises && isAdvised ? adviceOf(hint) : null,
    alarm: canPlay ? (row.alarm ?? alarmOf(situation, lacksAddress, hint)) : waits ? 'hint' : 'none',
    button,
    urgency,
    next: needsPlay ? 'play' : nextOf(urgency, row, player.wasInterrupted && button === 'play'),
    isCreating,
    createPauses: row.outlivesToken === true && situation !== 'silent' && ended === null && !isCreating,
    retry: canPlay && situation === 'reconnecting' ? retryOf(player) : null,
    // A page that was loaded again waits for a press of play only, if its token is valid.
    canStopWaiting: waits && !(obstacle === 'reloaded' && canPlay),
    behindSeconds: isDelayed && !isJoining ? connection.behindSeconds : 0,
    dropout,
    sessionEnded: ended !== null,
    serverTrouble,
  };
}

function retryOf({ connection, replacement, replace }: PlayerState): View['retry'] {
  const isWaiting = replacement === null && (connection === null || replace.dueAt !== null);
  return isWaiting ? 'possible' : 'underWay';
}

/** @param situation - for an earlier token, which is not played, it is left out */
export function urgencyOf(token: TokenState, situation?: Situation, outlivesToken = false): Urgency {
  if (token.kind === 'none') return 'none';
  if (token.kind === 'expired') return outlivesToken ? 'outlived' : 'expired';
  if (situation === 'refused') return 'refused';
  return token.remainingMs > LAST_MINUTES * MINUTE_MS ? 'calm' : 'last';
}

function situationOf(player: PlayerState, isMuted: boolean, cut: SessionEnd | null): Situation {
  if (player.held) return 'held';
  const sound = soundOf(player);
  if (sound === 'off' && player.otherTabPlays) return 'elsewhere';
  if (sound === 'off') return cut === null ? 'off' : 'cut';
  return sound === 'playing' && isMuted ? 'muted' : sound;
}

function nextOf(urgency: Urgency, { outlivesToken }: Row, canGoOn: boolean): View['next'] {
  if (urgency === 'calm') return canGoOn ? 'play' : 'copy';
  if (!outlivesToken) return 'create';
  return urgency === 'last' ? 'copy' : 'none';
}

function hintOf(situation: Situation, canPlay: boolean, createsByItself: boolean, facts: Facts): Hint | null {
  const { hint = null } = ROWS[situation];
  const { player, offline } = facts;
  const isOwn = player.obstacle !== null && (canPlay || situation !== 'refused');
  const isAtRest = ['off', 'held', 'elsewhere', 'cut'].includes(situation);
  if (!isAtRest && createsByItself) return 'creating';
  if (!isAtRest && !isOwn && !canPlay) return player.answers.last === 'noOutput' ? 'lostOutput' : 'lost';
  if (typeof hint === 'string') return hint;
  if (!isAtRest && situation !== 'refused' && offline)
    return isPlaying(soundOf(player)) ? 'offlinePlaying' : 'offline';
  return hint?.(facts) ?? null;
}

/** Alarms while connecting without an address, which may take minutes. */
function alarmOf(situation: Situation, lacksAddress: boolean, hint: Hint | null): View['alarm'] {
  if (situation !== 'connecting' || !lacksAddress) return 'none';
  return hint === null ? 'status' : 'hint';
}

/** Sound that has no device to be heard from waits for no data. */
function statusOf({ status }: Row, hint: Hint | null): Status {
  return status === 'starving' && hint === 'noOutput' ? 'silent' : status;
}

function adviceOf(hint: Hint | null): Advice | null {
  switch (hint) {
    case 'blocked':
    case 'reloaded':
    case 'dry':
    case 'starving':
    case 'refused':
      return hint;
    case 'UNAUTHENTICATED':
    case 'COOKIES_BLOCKED':
    case 'COOKIES_DELETED':
    case 'SIGNED_OUT_ELSEWHERE':
      return 'reloaded';
    default:
      return null;
  }
}

/** A provider that refuses the next token too will hardly accept another one. */
function refused({ player }: Facts): Hint {
  return player.refusedTokens > 1 ? 'refusedAgain' : 'refused';
}

function atRest({ offline }: Facts): Hint | null {
  return offline ? 'offlineAtRest' : null;
}

function playing({ player, token }: Facts): Hint | null {
  if (player.connection?.isSpeedForced) return 'speedForced';
  return token.kind === 'expired' ? 'outlives' : null;
}

function starving({ player, token }: Facts): Hint | null {
  if (player.answers.last === 'noOutput') return 'noOutput';
  return token.kind === 'active' ? null : 'starving';
}

function connecting({ serverTrouble }: Facts): Hint | null {
  return serverTrouble;
}

function reconnecting({ player: { answers, hasPlayed }, trouble }: Facts): Hint | null {
  // Where our server does not answer either, the network may be the cause.
  if (answers.last === 'hangs') return isHanging(answers) && trouble === null ? 'hangs' : null;
  if (answers.last === 'audio') return isUndecodable(answers) && !hasPlayed ? 'undecodable' : null;
  return answers.last === 'refused' ? 'refusedOnce' : answers.last;
}
