import { MINUTE_MS } from '../../shared/durations.ts';
import type { SessionEnd } from '../page/failure.ts';
import type { ServerTrouble } from '../page/pageState.ts';
import { type Dropout, isConnected, isFarBehind, type PlayerState } from '../page/player/playerState.ts';
import { isReplacing, type Sound, soundOf } from '../page/player/sound.ts';
import { isHanging, isUndecodable } from '../page/player/streamAnswer.ts';
import type { ShownSignedIn } from '../page/shown.ts';
import type { TokenState } from '../page/tokenState.ts';
import type { dashboardTexts } from './dashboardTexts.ts';

export const LAST_MINUTES = 2;

/**
 * The sound that is heard, or why there is none. `creating`: the partner creates a token meanwhile; `elsewhere`:
 * another tab plays; `cut`: an end of the session ended the sound; `noOutput`: the connection is kept, but this
 * computer plays nothing.
 */
export type Situation = Sound | 'creating' | 'elsewhere' | 'muted' | 'cut' | 'noOutput' | 'refusedAgain';

type Status = keyof typeof dashboardTexts.playerStatus;
export type Hint = keyof typeof dashboardTexts.playerHints;
export type Advice = keyof typeof dashboardTexts.playerAdvice;
/** The text that says that wanted sound is not heard: the status, or the hint if the status says something else. */
type Alarm = 'status' | 'hint' | 'none';
type AlarmButton = keyof typeof dashboardTexts.alarmButtons;

type Row = {
  status: Status;
  button: 'play' | 'pause' | 'none';
  alarm?: Alarm | ((inputs: RowInputs) => Alarm);
  hint?: Hint | ((inputs: RowInputs) => Hint | null);
  /** The hint instead, while this computer has no network. */
  offline?: Hint;
  /** Advice said together with this hint; `isAdvised` leaves it out where it cannot be done. */
  advice?: Advice | ((inputs: RowInputs) => Advice | null);
  /** No sound is wanted, so that an automatic token is not told. */
  isAtRest?: true;
  /** The act that the page proposes, whatever the token looks like. */
  next?: 'play';
  /** A small button that ends the alarm, and the waiting where the page waits: the large one cannot. */
  alarmButton?: AlarmButton;
  canRetry?: true;
  /** A creation would pause sound that is heard. */
  createPauses?: true;
  /** How the token looks other than by its time: sound plays on after its expiry, or the provider refuses it. */
  token?: 'outlived' | 'refused';
};

/** Each situation's texts and controls, with a valid token or sound. */
export const ROWS: Record<Situation, Row> = {
  off: { status: 'paused', button: 'play', offline: 'offlineAtRest', isAtRest: true },
  creating: { status: 'paused', button: 'play', offline: 'offlineAtRest', isAtRest: true, token: 'outlived' },
  elsewhere: { status: 'paused', button: 'play', hint: 'otherTab', isAtRest: true },
  cut: {
    status: 'paused',
    button: 'play',
    alarm: 'hint',
    hint: cut,
    advice: adviceAfterCut,
    isAtRest: true,
    next: 'play',
    alarmButton: 'dismiss',
  },
  connecting: {
    status: 'connecting',
    button: 'pause',
    alarm: connectingAlarm,
    hint: ourServer,
    offline: 'offline',
  },
  playing: {
    status: 'playing',
    button: 'pause',
    hint: playing,
    offline: 'offlinePlaying',
    createPauses: true,
    token: 'outlived',
  },
  muted: {
    status: 'muted',
    button: 'pause',
    alarm: 'status',
    offline: 'offlinePlaying',
    createPauses: true,
    token: 'outlived',
  },
  silent: { status: 'silent', button: 'pause', alarm: 'status', hint: 'silent', token: 'outlived' },
  dry: { status: 'dry', button: 'pause', alarm: 'status', hint: 'dry', advice: 'dry' },
  noOutput: { status: 'silent', button: 'pause', alarm: 'status', hint: 'noOutput' },
  starving: {
    status: 'starving',
    button: 'pause',
    alarm: 'status',
    hint: starving,
    offline: 'offline',
    advice: 'starving',
  },
  reconnecting: {
    status: 'reconnecting',
    button: 'pause',
    alarm: 'status',
    hint: reconnecting,
    offline: 'offline',
    canRetry: true,
  },
  refused: {
    status: 'refused',
    button: 'play',
    alarm: 'status',
    hint: 'refused',
    advice: 'refused',
    token: 'refused',
  },
  // A provider that refuses the next token too will hardly accept another one.
  refusedAgain: {
    status: 'refused',
    button: 'play',
    alarm: 'status',
    hint: 'refusedAgain',
    next: 'play',
    token: 'refused',
  },
  blocked: {
    status: 'paused',
    button: 'play',
    alarm: 'hint',
    hint: 'blocked',
    advice: 'blocked',
    next: 'play',
    alarmButton: 'stopWaiting',
  },
  reloaded: {
    status: 'paused',
    button: 'play',
    alarm: 'hint',
    hint: 'reloaded',
    advice: 'reloaded',
    next: 'play',
    alarmButton: 'stopWaiting',
  },
  pausedOutside: {
    status: 'paused',
    button: 'play',
    alarm: 'hint',
    hint: 'pausedOutside',
    next: 'play',
    alarmButton: 'stopWaiting',
  },
};

const NEEDS_TOKEN = { status: 'needsToken', button: 'none' } as const;
const WAITS_FOR_TOKEN = { ...NEEDS_TOKEN, alarm: 'hint', alarmButton: 'stopWaiting' } as const;
const LOST = { ...WAITS_FOR_TOKEN, hint: lost } as const;

/** Rows that differ while no token is valid: sound then plays over an open connection only. */
const ROWS_WITHOUT_TOKEN: Partial<Record<Situation, Row>> = {
  off: { ...NEEDS_TOKEN, offline: 'offlineAtRest', isAtRest: true },
  creating: { ...NEEDS_TOKEN, offline: 'offlineAtRest', isAtRest: true, token: 'outlived' },
  elsewhere: { ...NEEDS_TOKEN, hint: 'otherTab', isAtRest: true },
  cut: { ...NEEDS_TOKEN, alarm: 'hint', hint: cut, isAtRest: true, alarmButton: 'dismiss' },
  connecting: LOST,
  reconnecting: LOST,
  refused: LOST,
  refusedAgain: LOST,
  blocked: { ...WAITS_FOR_TOKEN, hint: 'blocked' },
  reloaded: { ...WAITS_FOR_TOKEN, hint: 'reloaded' },
  pausedOutside: { ...WAITS_FOR_TOKEN, hint: 'pausedOutside' },
};

/** How much of a token is left. */
export type TokenStage = 'none' | 'calm' | 'last' | 'expired';

/**
 * How the token looks. `outlived` does not alarm: sound plays on over its open connection. `refused`: the provider does
 * not accept the token, however much time is left.
 */
export type Urgency = TokenStage | 'refused' | 'outlived';

export type View = {
  situation: Situation;
  status: Status;
  hint: Hint | null;
  /** The act that the hint advises, if the partner can do it now. */
  advice: Advice | null;
  alarm: Alarm;
  button: Row['button'];
  urgency: Urgency;
  /** The one act that the page proposes by a filled button. */
  next: 'create' | 'play' | 'copy' | 'none';
  /** The partner waits for a token; false while an automatic one is created. */
  isCreating: boolean;
  createPauses: boolean;
  /** Whether the partner can ask for the next attempt now, or waits for one; null if none is to come. */
  retry: 'possible' | 'underWay' | null;
  alarmButton: AlarmButton | null;
  behindSeconds: number;
  dropout: Dropout | null;
  sessionEnded: boolean;
  /** Why the stream's address is still unknown, if our server is the cause. */
  serverTrouble: ServerTrouble | null;
};

/** Facts beside the page's state that the dashboard shows. */
export type DashboardInputs = { stage: TokenStage; muted: boolean; offline: boolean };

type RowInputs = {
  player: PlayerState;
  cut: SessionEnd | null;
  stage: TokenStage;
  offline: boolean;
  isCreatingAutomatically: boolean;
  sessionEnded: boolean;
  /** Why our server does not answer, or not as it should. */
  trouble: ServerTrouble | null;
  serverTrouble: ServerTrouble | null;
  lacksAddress: boolean;
};

export function viewOf(
  { trouble, ended, dashboard }: Pick<ShownSignedIn, 'trouble' | 'ended' | 'dashboard'>,
  { stage, muted, offline }: DashboardInputs,
): View {
  const { player, creation, streamBase, cut } = dashboard;
  const { mutedWhileCreating, heard, attempts, dropout } = player;
  const situation = situationOf(player, muted, cut);
  const canPlay = isActive(stage) || (isConnected(player) && !mutedWhileCreating) || attempts.dueAt !== null;
  const row = (canPlay ? undefined : ROWS_WITHOUT_TOKEN[situation]) ?? ROWS[situation];
  const inputs: RowInputs = {
    player,
    cut,
    stage,
    offline,
    trouble,
    isCreatingAutomatically: creation?.isAutomatic === true,
    sessionEnded: ended !== null,
    serverTrouble: streamBase === null ? trouble : null,
    lacksAddress: dashboard.lacksAddress,
  };
  const isDelayed = heard?.phase === 'playing' && isFarBehind(heard) && !mutedWhileCreating;
  const isJoining = isReplacing(player) && attempts.count === 0;
  const urgency = urgencyOf(stage, row.token);
  const isCreating = creation?.isAutomatic === false;
  return {
    situation,
    status: row.status,
    ...hintOf(row, inputs),
    alarm: typeof row.alarm === 'function' ? row.alarm(inputs) : (row.alarm ?? 'none'),
    button: row.button,
    urgency,
    next: row.next ?? nextOf(urgency, row, player.wasInterrupted && row.button === 'play'),
    isCreating,
    createPauses: row.createPauses === true && ended === null && !isCreating,
    retry: row.canRetry ? retryOf(player) : null,
    alarmButton: row.alarmButton ?? null,
    behindSeconds: isDelayed && !isJoining ? heard.behindSeconds : 0,
    dropout,
    sessionEnded: inputs.sessionEnded,
    serverTrouble: inputs.serverTrouble,
  };
}

function situationOf(player: PlayerState, isMuted: boolean, cut: SessionEnd | null): Situation {
  if (player.mutedWhileCreating) return 'creating';
  const sound = soundOf(player);
  switch (sound) {
    case 'off':
      if (player.otherTabPlays) return 'elsewhere';
      return cut === null ? 'off' : 'cut';
    case 'playing':
      return isMuted ? 'muted' : 'playing';
    case 'starving':
      return player.answers.last === 'noOutput' ? 'noOutput' : 'starving';
    case 'refused':
      return player.refusedTokens > 1 ? 'refusedAgain' : 'refused';
    default:
      return sound;
  }
}

function retryOf({ heard, opening, attempts }: PlayerState): View['retry'] {
  const isWaiting = opening === null && (heard === null || attempts.dueAt !== null);
  return isWaiting ? 'possible' : 'underWay';
}

export function stageOf(token: TokenState): TokenStage {
  if (token.kind !== 'active') return token.kind;
  return token.remainingMs > LAST_MINUTES * MINUTE_MS ? 'calm' : 'last';
}

export function isActive(stage: TokenStage): boolean {
  return stage === 'calm' || stage === 'last';
}

function urgencyOf(stage: TokenStage, other: Row['token']): Urgency {
  if (stage === 'expired' && other === 'outlived') return 'outlived';
  return isActive(stage) && other === 'refused' ? 'refused' : stage;
}

function nextOf(urgency: Urgency, { token }: Row, canGoOn: boolean): View['next'] {
  if (urgency === 'calm') return canGoOn ? 'play' : 'copy';
  if (token !== 'outlived') return 'create';
  return urgency === 'last' ? 'copy' : 'none';
}

function hintOf(row: Row, inputs: RowInputs): Pick<View, 'hint' | 'advice'> {
  if (!row.isAtRest && inputs.isCreatingAutomatically) return { hint: 'creating', advice: null };
  if (row.offline && inputs.offline) return { hint: row.offline, advice: null };
  const hint = (typeof row.hint === 'function' ? row.hint(inputs) : row.hint) ?? null;
  const advice = (typeof row.advice === 'function' ? row.advice(inputs) : row.advice) ?? null;
  return { hint, advice: hint !== null && advice !== null && isAdvised(advice, inputs) ? advice : null };
}

function isAdvised(advice: Advice, { serverTrouble, sessionEnded }: RowInputs): boolean {
  const isOfPlay = advice === 'blocked' || advice === 'reloaded';
  return isOfPlay ? serverTrouble !== 'otherPage' : !sessionEnded;
}

function cut(inputs: RowInputs): Hint | null {
  return inputs.cut;
}

function adviceAfterCut(inputs: RowInputs): Advice | null {
  return inputs.cut === 'OTHER_ACCOUNT' ? null : 'reloaded';
}

/** Alarms while connecting without an address, which may take minutes. */
function connectingAlarm(inputs: RowInputs): Alarm {
  if (!inputs.lacksAddress) return 'none';
  return hintOf(ROWS.connecting, inputs).hint === null ? 'status' : 'hint';
}

function ourServer({ serverTrouble }: RowInputs): Hint | null {
  return serverTrouble;
}

function playing({ player, stage }: RowInputs): Hint | null {
  if (player.heard?.isSpeedForced) return 'speedForced';
  return stage === 'expired' ? 'outlives' : null;
}

function starving({ stage }: RowInputs): Hint | null {
  return isActive(stage) ? null : 'starving';
}

function reconnecting({ player: { answers, hasPlayed }, trouble }: RowInputs): Hint | null {
  // Where our server does not answer either, the network may be the cause.
  if (answers.last === 'hangs') return isHanging(answers) && trouble === null ? 'hangs' : null;
  if (answers.last === 'audio') return isUndecodable(answers) && !hasPlayed ? 'undecodable' : null;
  return answers.last === 'refused' ? 'refusedOnce' : answers.last;
}

function lost({ player }: RowInputs): Hint {
  return player.answers.last === 'noOutput' ? 'lostOutput' : 'lost';
}
