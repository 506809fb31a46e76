import { MINUTE_MS } from '../../../shared/durations.ts';
import { shallowEqual } from '../shallowEqual.ts';
import { afterConnectionEvent, type ConnectionEvent, measuredLater } from './connectionEvents.ts';
import { updateDropout } from './dropout.ts';
import { counted, hasLasted, isDue, type Moment, NO_ATTEMPT, scheduled, unscheduled } from './nextAttempt.ts';
import {
  activeToken,
  type ConnectionState,
  GAP_ALLOWED_MS,
  lacksSound,
  NO_CONNECTION,
  type PlayerInput,
  type PlayerState,
  streamAddress,
  wantsLevel,
  withoutReplacement,
} from './playerState.ts';
import { isDry, isMissing, soundOf } from './sound.ts';
import { isLikelyRefused, isRefused, NO_ANSWERS, type StreamAnswer, withAnswer } from './streamAnswer.ts';

const OUTSIDE_PAUSE_KEPT_MS = MINUTE_MS;

export type PlayerEvent =
  | { type: 'playPressed' | 'pausePressed' }
  | { type: 'connectionEvent'; id: number; event: ConnectionEvent }
  | { type: 'answerLearned'; id: number; answer: StreamAnswer }
  | { type: 'timePassed' }
  /** The network is back, the page is shown again, or the partner pressed the button to retry now. */
  | { type: 'retryAsked' }
  /** This computer has a sound device again. */
  | { type: 'outputReturned' }
  | ({ type: 'addressChanged' } & AddressChange)
  | { type: 'creationPressed' }
  /** `wasPressed`: the partner waited for it. */
  | ({ type: 'creationSucceeded'; wasPressed: boolean } & AddressChange)
  | { type: 'creationFailed' }
  /** Another tab was the last to play. `isWanted`: sound is still wanted there. */
  | { type: 'otherTabChanged'; isWanted: boolean }
  | { type: 'pageReloaded' }
  | { type: 'pageLeft' };

type AddressChange = { hasNewToken: boolean; hasNewBase: boolean };

/**
 * Every change of the player goes through here (docs/decisions/0031-player.md); connectionEvents.ts decides what follows
 * from the events of a connection. All functions are pure: `afterPlay` returns the state after a press of play,
 * `withReplacement` applies the rule for replacements, and may return the state unchanged.
 */
export function playerMachine(before: PlayerState, event: PlayerEvent, now: PlayerInput): PlayerState {
  const next = withNextStep(afterEvent(before, event, now), now);
  // Held sound is not over: if the creation fails it goes on.
  const soundBefore = before.mutedWhileCreating && next.wanted ? 'playing' : soundOf(before);
  const dropout = next.mutedWhileCreating
    ? next.dropout
    : updateDropout(next.dropout, soundBefore, soundOf(next), now);
  const changed = { ...next, dropout };
  return shallowEqual(before, changed) ? before : changed;
}

function afterEvent(state: PlayerState, event: PlayerEvent, now: PlayerInput): PlayerState {
  switch (event.type) {
    case 'playPressed':
      return afterPlay(state, now);
    case 'connectionEvent':
      return afterConnectionEvent(state, event, now);
    case 'answerLearned':
      return event.id === state.answers.asking?.id ? afterAnswer(state, event.answer, now) : state;
    case 'timePassed':
      return state;
    case 'retryAsked':
      return afterRetry(state, now);
    case 'outputReturned':
      return afterRetry(withOutput(state), now);
    case 'addressChanged':
      return afterNewAddress(state, event, false);
    case 'creationPressed':
      return afterCreationPress(state);
    case 'creationSucceeded':
      return state.mutedWhileCreating
        ? { ...unwanted(state), wasInterrupted: true }
        : afterNewAddress(state, event, event.wasPressed);
    case 'creationFailed':
      return afterFailedCreation(state, now);
    case 'otherTabChanged':
      if (!event.isWanted) return { ...state, otherTabPlays: false };
      return state.wanted ? { ...unwanted(state), otherTabPlays: true } : state;
    case 'pageReloaded':
      return { ...state, wanted: true, obstacle: 'reloaded' };
    case 'pageLeft':
      return { ...state, ...NO_CONNECTION, obstacle: state.wanted ? 'reloaded' : null };
    case 'pausePressed':
      return unwanted(state);
  }
}

/**
 * A valid token opens a new connection, at the live edge. Without one, play can only resume sound
 * that another program or the system paused.
 */
function afterPlay(state: PlayerState, now: PlayerInput): PlayerState {
  const { wanted, mutedWhileCreating, obstacle, connection } = state;
  if (mutedWhileCreating || (wanted && obstacle === null)) return state;
  const hasToken = activeToken(now) !== null;
  if (!hasToken && (connection === null || obstacle !== 'pausedOutside')) return state;
  return {
    ...state,
    ...(hasToken ? NO_CONNECTION : {}),
    wanted: true,
    obstacle: null,
    otherTabPlays: false,
    hasPlayed: wanted && state.hasPlayed,
    wasInterrupted: false,
  };
}

function withNextStep(state: PlayerState, now: PlayerInput): PlayerState {
  const { wanted, mutedWhileCreating, connection, obstacle, reconnect } = state;
  if (!wanted || mutedWhileCreating) return state;
  if (obstacle !== null) return withoutLongPause(state, now);
  if (connection) return withReplacement(state, markLongGap(connection, now), now);
  const url = streamAddress(now);
  if (url !== null && now.monotonicMs < (reconnect.dueAt ?? 0)) return state;
  const tried = { ...state, reconnect: unscheduled(reconnect) };
  if (url === null) return tried;
  const opened = newConnection(state, url, state.plain === 'next', now);
  return { ...tried, plain: plainAfter(state, opened), lastId: opened.id, connection: opened };
}

function newConnection(
  { lastId }: PlayerState,
  url: string,
  isPlain: boolean,
  { monotonicMs }: Moment,
): ConnectionState {
  return {
    id: lastId + 1,
    url,
    phase: 'connecting',
    phaseSince: monotonicMs,
    playingSince: null,
    dataStoppedAt: null,
    isBufferOnly: false,
    behindSeconds: 0,
    hasNewerToken: false,
    mayHaveSlept: false,
    isSpeedForced: false,
    isPlain,
    measureAt: null,
  };
}

function plainAfter({ plain }: PlayerState, { isPlain }: ConnectionState): PlayerState['plain'] {
  return isPlain ? 'tried' : plain;
}

/** Returns whether only another token can bring back wanted sound that was heard before. */
export function needsToken(state: PlayerState, now: PlayerInput): boolean {
  const { wanted, mutedWhileCreating, hasPlayed, obstacle, connection, answers } = state;
  if (!wanted || mutedWhileCreating || !hasPlayed || (obstacle !== null && obstacle !== 'refused'))
    return false;
  if (activeToken(now) === null) return connection === null || isDry(state);
  return connection === null && (obstacle === 'refused' || isLikelyRefused(answers));
}

function withoutLongPause(state: PlayerState, now: Moment): PlayerState {
  const { connection } = state;
  return connection && now.monotonicMs >= connection.phaseSince + OUTSIDE_PAUSE_KEPT_MS
    ? { ...state, connection: null }
    : state;
}

function markLongGap(connection: ConnectionState, now: Moment): ConnectionState {
  const isLong = connection.phase === 'waiting' && now.monotonicMs >= connection.phaseSince + GAP_ALLOWED_MS;
  return isLong ? { ...connection, phase: 'starving' } : connection;
}

function withReplacement(before: PlayerState, connection: ConnectionState, now: PlayerInput): PlayerState {
  const state = { ...before, connection };
  if (state.replacement !== null) return state;
  const url = streamAddress(now);
  const isNeeded = lacksSound(connection) || wantsLevel(connection, now);
  if (!isNeeded) return withoutReplacement(state);
  if (url === null) return withoutReplacement({ ...state, connection: measuredLater(connection, now) });
  const { replace, replacedAt } = state;
  const isFirst = replace.dueAt === null;
  // The last replacement counts as failed if it did not last.
  const isSoon = replacedAt !== null && !hasLasted(replacedAt, now) && !connection.hasNewerToken;
  const waiting = scheduled(isFirst && isSoon ? counted(replace, now) : replace, now);
  if (!isDue(waiting, now)) return { ...state, replace: waiting };
  const isPlain = lacksSound(connection) && state.plain === 'next';
  const replacement = newConnection(state, url, isPlain, now);
  const plain = plainAfter(state, replacement);
  return { ...state, replace: unscheduled(waiting), plain, lastId: replacement.id, replacement };
}

/** When to send `timePassed` next, by the monotonic clock; `Infinity` if nothing is due. */
export function nextDueAt(state: PlayerState): number {
  const { wanted, mutedWhileCreating, obstacle, connection, reconnect, replace } = state;
  const due = [reconnect.dueAt, replace.dueAt].filter((at) => at !== null);
  if (connection && obstacle === null && state.replacement === null && replace.dueAt === null)
    due.push(connection.measureAt ?? Number.POSITIVE_INFINITY);
  if (connection?.phase === 'waiting') due.push(connection.phaseSince + GAP_ALLOWED_MS);
  if (connection && obstacle === 'pausedOutside') due.push(connection.phaseSince + OUTSIDE_PAUSE_KEPT_MS);
  return wanted && !mutedWhileCreating ? Math.min(...due) : Number.POSITIVE_INFINITY;
}

function afterAnswer(before: PlayerState, answer: StreamAnswer, now: Moment): PlayerState {
  const answers = withAnswer(before.answers, answer);
  const plain = answer === 'unreadable' && before.plain === 'untried' ? 'next' : before.plain;
  const state: PlayerState = { ...before, answers, plain };
  // Retries at once, but only the first time: an element may refuse what the provider calls audio.
  const { reconnect } = state;
  if (answer === 'audio' && answers.inARow === 1 && reconnect.dueAt !== null)
    return { ...state, reconnect: { ...reconnect, dueAt: now.monotonicMs } };
  if (!isRefused(answers)) return state;
  return {
    ...state,
    reconnect: unscheduled(reconnect),
    connection: null,
    obstacle: 'refused',
    refusedTokens: state.refusedTokens + 1,
  };
}

function afterRetry(state: PlayerState, now: PlayerInput): PlayerState {
  const { mutedWhileCreating, obstacle, connection, replacement, reconnect, replace } = state;
  const dueAt = now.monotonicMs;
  if (mutedWhileCreating || replacement !== null) return state;
  if (replace.dueAt !== null) return { ...state, replace: { ...replace, dueAt } };
  if (reconnect.dueAt !== null) return { ...state, reconnect: { ...reconnect, dueAt } };
  const isStarving = connection !== null && markLongGap(connection, now).phase === 'starving';
  const isReopened = isStarving && obstacle === null && streamAddress(now) !== null;
  // One failed attempt is counted, so that the player says `reconnecting`, not `connecting`.
  const count = Math.max(1, reconnect.count);
  return isReopened ? { ...state, reconnect: { ...reconnect, count }, connection: null } : state;
}

function withOutput(state: PlayerState): PlayerState {
  return state.answers.last === 'noOutput' ? { ...state, answers: NO_ANSWERS } : state;
}

function waitsForData(connection: ConnectionState | null): boolean {
  return connection?.phase === 'waiting' || connection?.phase === 'starving';
}

function afterNewAddress(
  before: PlayerState,
  { hasNewToken, hasNewBase }: AddressChange,
  wasPressed: boolean,
): PlayerState {
  const state = hasNewBase ? afterNewBase(before) : before;
  return hasNewToken ? afterNewToken(state, wasPressed) : state;
}

/** A refusal at the former address says nothing about the new one. */
function afterNewBase(state: PlayerState): PlayerState {
  const obstacle = state.obstacle === 'refused' ? null : state.obstacle;
  return { ...state, obstacle, answers: NO_ANSWERS };
}

/**
 * Lost sound plays again with the new token. With `wasPressed`, sound that was paused from outside or ended by a reload
 * does too, since the partner asked for the token.
 */
function afterNewToken(state: PlayerState, wasPressed: boolean): PlayerState {
  const { connection, obstacle } = state;
  if (!state.wanted || state.mutedWhileCreating) return state;
  const endsObstacle = wasPressed || obstacle === 'refused' || obstacle === 'blocked';
  const isLost = isMissing(soundOf(state));
  // One failed attempt is kept, so that the player says `reconnecting`, not `connecting`, until sound is heard.
  const lost = { ...NO_ATTEMPT, count: 1, since: state.reconnect.since };
  return {
    ...state,
    reconnect: isLost ? lost : NO_ATTEMPT,
    obstacle: endsObstacle ? null : obstacle,
    answers: NO_ANSWERS,
    connection:
      connection && connection.playingSince !== null ? { ...connection, hasNewerToken: isLost } : null,
  };
}

function afterCreationPress(before: PlayerState): PlayerState {
  const state: PlayerState = { ...before, wasInterrupted: false };
  // Sound that is wanted and not heard yet, or no longer, plays with the new token.
  return soundOf(state) === 'playing' ? { ...withoutReplacement(state), mutedWhileCreating: true } : state;
}

function afterFailedCreation(before: PlayerState, now: Moment): PlayerState {
  if (!before.mutedWhileCreating) return before;
  const state = { ...before, mutedWhileCreating: false };
  const { connection } = state;
  // The connection was lost while a token was created.
  if (!connection) return { ...state, reconnect: counted(NO_ATTEMPT, now) };
  // A connection that waited for data while it was muted gets another half second.
  return waitsForData(connection)
    ? { ...state, connection: { ...connection, phase: 'waiting', phaseSince: now.monotonicMs } }
    : state;
}

function unwanted(state: PlayerState): PlayerState {
  return { ...state, ...NO_CONNECTION, wanted: false, obstacle: null };
}
