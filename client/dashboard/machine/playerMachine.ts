import { MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts';
import type { StoredToken } from '../../session/localRecords.ts';
import { hasSameParts } from '../hasSameParts.ts';
import { afterConnectionEvent, type ConnectionEvent } from './connectionEvents.ts';
import { updateDropout } from './missedSound.ts';
import {
  counted,
  hasLasted,
  isDue,
  type Moment,
  NO_ATTEMPT,
  scheduled,
  withAttempts,
  withoutLastCreation,
} from './nextAttempt.ts';
import { effectsBetween, type PlayerEffect } from './playerEffects.ts';
import {
  activeToken,
  type Claim,
  type ConnectionState,
  GAP_ALLOWED_MS,
  joinsLiveEdge,
  NO_CONNECTION,
  type PlayerState,
  streamAddress,
  withoutReplacement,
} from './playerState.ts';
import { isDry, isMissing, soundOf } from './sound.ts';
import { isLikelyRefused, isRefused, NO_ANSWERS, type StreamAnswer, withAnswer } from './streamAnswer.ts';

/** Two tabs whose play was pressed within this time may not have heard of each other: the later press wins. */
const SAME_TIME_MS = 2_000;
const OUTSIDE_PAUSE_KEPT_MS = MINUTE_MS;

export type PlayerEvent =
  | { type: 'playPressed' | 'pausePressed' }
  | { type: 'connectionEvent'; id: number; event: ConnectionEvent }
  | { type: 'answerLearned'; id: number; answer: StreamAnswer }
  | { type: 'timePassed' }
  /** The network is back, the page is shown again, or the partner pressed the button to retry now. */
  | { type: 'retryAsked' }
  | { type: 'streamBaseLearned'; streamBase: string }
  | { type: 'tokenLearned'; token: StoredToken }
  | { type: 'creationPressed' }
  | { type: 'creationSucceeded'; token: StoredToken }
  /** `wasOffline`: the browser had no network when it failed. */
  | { type: 'creationFailed'; retryAfterSeconds: number; wasOffline?: boolean }
  | { type: 'autoCreateChanged'; on: boolean }
  /** `claim` is null when the other tab stopped. */
  | { type: 'otherTabTold'; claim: Claim | null }
  | { type: 'pageReloaded' }
  | { type: 'pageLeft' }
  /** The dashboard closed, or this tab turned out to be a copy of another. */
  | { type: 'stopped' };

type Transition = { state: PlayerState; effects: PlayerEffect[] };

/**
 * Every change of the player goes through here (docs/decisions/0031-player.md); connectionEvents.ts decides what follows
 * from the events of a connection. All functions are pure: `afterPlay` returns the state after a press of play,
 * `withReplacement` applies the rule for replacements, and may return the state unchanged.
 */
export function playerMachine(before: PlayerState, event: PlayerEvent, now: Moment): Transition {
  const next = withNextStep(afterEvent(before, event, now), now);
  // Held sound is not over: if the creation fails it goes on.
  const soundBefore = before.held && next.wanted ? 'playing' : soundOf(before);
  const dropout = next.held ? next.dropout : updateDropout(next.dropout, soundBefore, soundOf(next), now);
  const changed = { ...next, dropout };
  const state = hasSameParts(before, changed) ? before : changed;
  return { state, effects: effectsBetween(before, state) };
}

function afterEvent(state: PlayerState, event: PlayerEvent, now: Moment): PlayerState {
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
    case 'streamBaseLearned':
      return afterNewBase(state, event.streamBase);
    case 'tokenLearned':
      return afterNewToken(state, event.token, false);
    case 'creationPressed':
      return afterCreationPress(state);
    case 'creationSucceeded':
      return afterCreation(state, event.token);
    case 'creationFailed':
      return afterFailedCreation(state, event, now);
    case 'autoCreateChanged':
      return { ...state, autoCreate: event.on };
    case 'otherTabTold':
      if (event.claim === null) return { ...state, otherTabPlays: false };
      if (isOlder(event.claim, state.claim, now)) return state;
      return {
        ...(state.wanted ? unwanted(state) : state),
        otherTabPlays: state.wanted || state.otherTabPlays,
        playedLast: false,
      };
    case 'pageReloaded':
      return { ...state, wanted: true, obstacle: 'reloaded' };
    case 'pageLeft':
      return { ...state, ...NO_CONNECTION, claim: null, obstacle: state.wanted ? 'reloaded' : null };
    case 'pausePressed':
    case 'stopped':
      return unwanted(state);
  }
}

/**
 * A valid token opens a new connection, at the live edge. Without one, play can only resume sound
 * that another program or the system paused.
 */
function afterPlay(state: PlayerState, now: Moment): PlayerState {
  const { wanted, held, obstacle, connection } = state;
  if (held || (wanted && obstacle === null)) return state;
  const hasToken = activeToken(state, now) !== null;
  if (!hasToken && (connection === null || obstacle !== 'pausedOutside')) return state;
  return {
    ...state,
    ...(hasToken ? NO_CONNECTION : {}),
    wanted: true,
    claim: now,
    obstacle: null,
    otherTabPlays: false,
    playedLast: true,
    hasPlayed: wanted && state.hasPlayed,
    wasInterrupted: false,
  };
}

function withNextStep(before: PlayerState, now: Moment): PlayerState {
  if (!before.wanted || before.held) return before;
  const state = withCreation(before, now);
  const { connection, obstacle, attempts } = state;
  if (obstacle !== null) return withoutLongPause(state, now);
  if (connection) return withReplacement(state, markLongGap(connection, now), now);
  const url = streamAddress(state, now);
  if (url !== null && now.monotonicMs < (attempts.reconnect.dueAt ?? 0)) return state;
  const tried = withAttempts(state, 'reconnect', { dueAt: null });
  if (url === null) return tried;
  const opened = newConnection(state, url, now);
  // After a reload a new token starts the sound without a press of play, so this tab claims it here.
  return { ...tried, lastId: opened.id, claim: state.claim ?? now, playedLast: true, connection: opened };
}

function newConnection({ lastId }: PlayerState, url: string, { monotonicMs }: Moment): ConnectionState {
  return {
    id: lastId + 1,
    url,
    phase: 'connecting',
    phaseSince: monotonicMs,
    playingSince: null,
    dataStoppedAt: null,
    isDry: false,
    behindSeconds: 0,
    hasNewerToken: false,
    mayHaveSlept: false,
  };
}

function withCreation(state: PlayerState, now: Moment): PlayerState {
  const { autoCreate, hasPlayed, creating } = state;
  const isNeeded = autoCreate && hasPlayed && creating === null && needsToken(state, now);
  if (!isNeeded) return withAttempts(state, 'create', { dueAt: null });
  const waiting = scheduled(state, 'create', now);
  return isDue(waiting, 'create', now)
    ? { ...counted(waiting, 'create', now), creating: 'automatic' }
    : waiting;
}

function needsToken(state: PlayerState, now: Moment): boolean {
  const { obstacle, connection, answers } = state;
  if (obstacle !== null && obstacle !== 'refused') return false;
  if (activeToken(state, now) === null) return connection === null || isDry(state);
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

function withReplacement(before: PlayerState, connection: ConnectionState, now: Moment): PlayerState {
  const state = { ...before, connection };
  if (state.replacement !== null) return state;
  const url = streamAddress(state, now);
  const isNeeded = connection.dataStoppedAt !== null || joinsLiveEdge(connection);
  if (!isNeeded || url === null) return withoutReplacement(state);
  const { attempts, replacedAt } = state;
  const isFirst = attempts.replace.dueAt === null;
  // The last replacement counts as failed if it did not last.
  const isSoon = replacedAt !== null && !hasLasted(replacedAt, now) && !connection.hasNewerToken;
  const waiting = scheduled(isFirst && isSoon ? counted(state, 'replace', now) : state, 'replace', now);
  if (!isDue(waiting, 'replace', now)) return waiting;
  const replacement = newConnection(state, url, now);
  return { ...withAttempts(waiting, 'replace', { dueAt: null }), lastId: replacement.id, replacement };
}

/** When to send `timePassed` next, by the monotonic clock; `Infinity` if nothing is due. */
export function nextDueAt({ wanted, held, obstacle, connection, attempts }: PlayerState): number {
  const due = Object.values(attempts).map(({ dueAt }) => dueAt ?? Number.POSITIVE_INFINITY);
  if (connection?.phase === 'waiting') due.push(connection.phaseSince + GAP_ALLOWED_MS);
  if (connection && obstacle === 'pausedOutside') due.push(connection.phaseSince + OUTSIDE_PAUSE_KEPT_MS);
  return wanted && !held ? Math.min(...due) : Number.POSITIVE_INFINITY;
}

function afterAnswer(before: PlayerState, answer: StreamAnswer, now: Moment): PlayerState {
  const answers = withAnswer(before.answers, answer);
  const state = { ...before, answers };
  // Retries at once, but only the first time: an element may refuse what the provider calls audio.
  if (answer === 'audio' && answers.inARow === 1 && state.attempts.reconnect.dueAt !== null)
    return withAttempts(state, 'reconnect', { dueAt: now.monotonicMs });
  if (!isRefused(answers)) return state;
  return { ...withAttempts(state, 'reconnect', { dueAt: null }), connection: null, obstacle: 'refused' };
}

function afterRetry(state: PlayerState, now: Moment): PlayerState {
  const { held, obstacle, connection, replacement, attempts } = state;
  const dueAt = now.monotonicMs;
  if (held || replacement !== null) return state;
  if (attempts.replace.dueAt !== null) return withAttempts(state, 'replace', { dueAt });
  if (attempts.reconnect.dueAt !== null) return withAttempts(state, 'reconnect', { dueAt });
  const isStarving = connection !== null && markLongGap(connection, now).phase === 'starving';
  const isReopened = isStarving && obstacle === null && streamAddress(state, now) !== null;
  // One failed attempt is counted, so that the player says `reconnecting`, not `connecting`.
  const count = Math.max(1, attempts.reconnect.count);
  return isReopened ? { ...withAttempts(state, 'reconnect', { count }), connection: null } : state;
}

function waitsForData(connection: ConnectionState | null): boolean {
  return connection?.phase === 'waiting' || connection?.phase === 'starving';
}

/** A refusal at the former address says nothing about the new one. */
function afterNewBase(state: PlayerState, streamBase: string): PlayerState {
  if (streamBase === state.streamBase) return state;
  const obstacle = state.obstacle === 'refused' ? null : state.obstacle;
  return { ...state, streamBase, obstacle, answers: NO_ANSWERS };
}

/**
 * Lost sound plays again with the new token. With `wasPressed`, sound that was paused from outside or ended by a reload
 * does too, since the partner asked for the token.
 */
function afterNewToken(state: PlayerState, token: StoredToken, wasPressed: boolean): PlayerState {
  const { connection, obstacle } = state;
  if (!state.wanted || state.held || token.token === state.token?.token) return { ...state, token };
  const endsObstacle = wasPressed || obstacle === 'refused' || obstacle === 'blocked';
  const isLost = isMissing(soundOf(state));
  // One failed attempt is kept, so that the player says `reconnecting`, not `connecting`, until sound is heard.
  const lost = { ...NO_ATTEMPT, count: 1, since: state.attempts.reconnect.since };
  return {
    ...withAttempts(state, 'reconnect', isLost ? lost : NO_ATTEMPT),
    token,
    obstacle: endsObstacle ? null : obstacle,
    answers: NO_ANSWERS,
    connection:
      connection && connection.playingSince !== null ? { ...connection, hasNewerToken: isLost } : null,
  };
}

function afterCreationPress(before: PlayerState): PlayerState {
  const state: PlayerState = { ...before, creating: 'pressed', wasInterrupted: false };
  // Sound that is wanted and not heard yet, or no longer, plays with the new token.
  return soundOf(state) === 'playing' ? { ...withoutReplacement(state), held: true } : state;
}

function afterCreation(before: PlayerState, token: StoredToken): PlayerState {
  const state = { ...before, creating: null };
  return state.held
    ? { ...unwanted(state), token, wasInterrupted: true }
    : afterNewToken(state, token, before.creating === 'pressed');
}

function afterFailedCreation(
  before: PlayerState,
  { retryAfterSeconds, wasOffline = false }: { retryAfterSeconds: number; wasOffline?: boolean },
  now: Moment,
): PlayerState {
  const { connection, attempts, creating } = before;
  const notBefore = Math.max(attempts.create.notBefore, now.monotonicMs + retryAfterSeconds * SECOND_MS);
  const waiting =
    wasOffline && creating === 'automatic'
      ? withoutLastCreation(before, now)
      : withAttempts(before, 'create', { notBefore });
  const state = { ...waiting, held: false, creating: null };
  if (!before.held) return state;
  // The connection was lost while the creation held its sound.
  if (!connection) return counted(withAttempts(state, 'reconnect', NO_ATTEMPT), 'reconnect', now);
  // A connection that waited for data while it was held gets another half second.
  return waitsForData(connection)
    ? { ...state, connection: { ...connection, phase: 'waiting', phaseSince: now.monotonicMs } }
    : state;
}

/** Compares only claims of nearly the same time; otherwise the one that arrives is the newer. */
function isOlder(other: Claim, own: Moment | null, { monotonicMs }: Moment): boolean {
  // The clock by which tabs compare claims may have been set since this tab's claim.
  if (own === null || monotonicMs - own.monotonicMs > SAME_TIME_MS) return false;
  if (Math.abs(other.epochMs - own.epochMs) > SAME_TIME_MS) return false;
  return other.epochMs === own.epochMs ? other.chance < own.chance : other.epochMs < own.epochMs;
}

function unwanted(state: PlayerState): PlayerState {
  return { ...state, ...NO_CONNECTION, wanted: false, claim: null, obstacle: null };
}
