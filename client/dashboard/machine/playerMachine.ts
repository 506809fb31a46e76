import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../../session/localRecords.ts';
import type { ConnectionReport } from '../machine/connectionReports.ts';
import type { StreamAnswer } from '../machine/reconnectionState.ts';
import { applyReport, newConnection } from './connectionReports.ts';
import {
  type Creations,
  cancelScheduled,
  recordFailedCreation,
  resetCreations,
  scheduleOrStart,
} from './creations.ts';
import { updateDropout } from './dropout.ts';
import type { Moment } from './moment.ts';
import { effectsBetween, type PlayerEffect } from './playerEffects.ts';
import {
  activeToken,
  type Claim,
  type CurrentConnection,
  GAP_ALLOWED_MS,
  isFarBehind,
  isMissing,
  needsToken,
  type PlayerState,
  type Replacement,
  soundPhase,
} from './playerState.ts';
import { hasLasted, isRefused, NO_RECONNECTION, recordAnswer, waitAfter } from './reconnectionState.ts';

const LONGEST_DOUBLE_PRESS_MS = 400;
/** Claims of two tabs within this time were made without knowing of each other: the later one counts. */
const SAME_TIME_MS = 2_000;
const OUTSIDE_PAUSE_KEPT_MS = 60_000;

export type PlayerEvent =
  | { type: 'playPressed' | 'pausePressed' | 'retryPressed' }
  | { type: 'tokenLearned'; token: StoredToken | null }
  | { type: 'streamBaseLearned'; streamBase: string }
  | { type: 'autoCreateChanged'; on: boolean }
  | { type: 'creationPressed' }
  | { type: 'creationSucceeded'; token: StoredToken }
  | { type: 'creationFailed'; retryAfterSeconds: number }
  | { type: 'otherTabPlayed'; claim: Claim }
  | { type: 'otherTabStopped' }
  /** The network or the page is back. */
  | { type: 'cameBack' }
  | { type: 'connectionReported'; id: number; report: ConnectionReport }
  | { type: 'answerLearned'; id: number; answer: StreamAnswer }
  | { type: 'pageReloaded' }
  | { type: 'pageLeft' }
  /** The dashboard closed, or this tab is a copy of one whose sound is wanted. */
  | { type: 'stopped' }
  | { type: 'timePassed' };

export type TimedEvent = PlayerEvent & { at: Moment };

type Transition = { state: PlayerState; effects: PlayerEffect[] };

/**
 * Decides everything about the player (docs/decisions/0031-player.md). All functions here are pure: `stop` returns
 * the stopped state.
 */
export function playerMachine(before: PlayerState, event: TimedEvent): Transition {
  const next = takeNextStep(applyEvent(before, event, event.at), event.at);
  const dropout = updateDropout(next.dropout, soundPhase(before), soundPhase(next), event.at);
  const state = dropout === next.dropout ? next : { ...next, dropout };
  return { state, effects: effectsBetween(before, state) };
}

/** When time alone will change something, by the monotonic clock; null if nothing is due. */
export function nextDueAt({
  wanted,
  held,
  obstacle,
  connection,
  replacement,
  reconnection,
  creations,
}: PlayerState): number | null {
  if (!wanted || held) return null;
  const due = [
    creations.dueAt,
    connection?.phase === 'waiting' ? connection.phaseSince + GAP_ALLOWED_MS : null,
    connection && obstacle === 'pausedOutside' ? connection.phaseSince + OUTSIDE_PAUSE_KEPT_MS : null,
    connection && replacement?.open === null ? replacement.dueAt : null,
    connection || obstacle ? null : reconnection.dueAt,
  ].filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
}

function applyEvent(state: PlayerState, event: PlayerEvent, now: Moment): PlayerState {
  switch (event.type) {
    case 'playPressed':
      return isSecondPress(state, now) ? state : play(state, now);
    case 'pausePressed':
      return isSecondPress(state, now) ? state : { ...stop(state), pressedAt: now.monotonicMs };
    case 'stopped':
      return stop(state);
    case 'tokenLearned':
      return adoptToken(state, event.token, false);
    case 'streamBaseLearned':
      return { ...state, streamBase: event.streamBase };
    case 'autoCreateChanged':
      return { ...state, autoCreate: event.on };
    case 'creationPressed':
      return beginCreation(state);
    case 'creationSucceeded':
      return completeCreation(state, event.token);
    case 'creationFailed':
      return failCreation(state, event.retryAfterSeconds, now);
    case 'otherTabPlayed':
      return isOlder(event.claim, state.claim) || !state.wanted
        ? state
        : { ...stop(state), otherTabPlays: true };
    case 'otherTabStopped':
      return state.otherTabPlays ? { ...state, otherTabPlays: false } : state;
    case 'retryPressed':
    case 'cameBack':
      return retryNow(state, now);
    case 'connectionReported':
      return applyReport(state, event, now);
    case 'answerLearned':
      return event.id === state.reconnection.asking?.id ? applyAnswer(state, event.answer, now) : state;
    case 'pageReloaded':
      return { ...state, wanted: true, obstacle: 'reloaded' };
    case 'pageLeft':
      return { ...disconnect(state), claim: null, obstacle: state.wanted ? 'reloaded' : null };
    case 'timePassed':
      return state;
  }
}

/** Takes the next step towards the sound that is wanted, if one is due. */
function takeNextStep(before: PlayerState, now: Moment): PlayerState {
  if (!before.wanted || before.held) return before;
  const state = updateCreations(before, now);
  const { connection, reconnection, streamBase } = state;
  if (state.obstacle !== null) return closeAfterLongPause(state, now);
  if (connection) return replaceIfNeeded(state, markLongGap(connection, now), now);
  const token = activeToken(state, now);
  const tried =
    reconnection.dueAt === null ? state : { ...state, reconnection: { ...reconnection, dueAt: null } };
  if (token === null || streamBase === null) return tried;
  if (now.monotonicMs < (reconnection.dueAt ?? 0)) return state;
  const id = state.lastId + 1;
  const opened = newConnection({ id, url: streamUrl(streamBase, token) }, now);
  // A new token may begin the sound that a reload ended.
  const claim = state.claim ?? { epochMs: now.epochMs, chance: now.chance };
  return { ...tried, lastId: id, claim, connection: opened };
}

function updateCreations(state: PlayerState, now: Moment): PlayerState {
  const { creations: before, autoCreate, hasPlayed } = state;
  const isNeeded = autoCreate && hasPlayed && before.underWay === null && needsToken(state, now);
  const creations = isNeeded ? scheduleOrStart(before, now) : cancelScheduled(before);
  return creations === before ? state : { ...state, creations };
}

function closeAfterLongPause(state: PlayerState, now: Moment): PlayerState {
  const { connection } = state;
  return connection && now.monotonicMs >= connection.phaseSince + OUTSIDE_PAUSE_KEPT_MS
    ? { ...state, connection: null }
    : state;
}

function markLongGap(connection: CurrentConnection, now: Moment): CurrentConnection {
  const isLong = connection.phase === 'waiting' && now.monotonicMs >= connection.phaseSince + GAP_ALLOWED_MS;
  return isLong ? { ...connection, phase: 'starving' } : connection;
}

function replaceIfNeeded(before: PlayerState, connection: CurrentConnection, now: Moment): PlayerState {
  const state = connection === before.connection ? before : { ...before, connection };
  const token = activeToken(state, now);
  const isNeeded = connection.dataStoppedAt !== null || connection.hasNewerToken || isFarBehind(connection);
  if (!isNeeded || token === null || state.streamBase === null)
    return state.replacement?.open === null ? { ...state, replacement: null } : state;
  const replacement = state.replacement ?? scheduleReplacement(state, now);
  if (replacement.open === null && now.monotonicMs >= replacement.dueAt) {
    const open = { id: state.lastId + 1, url: streamUrl(state.streamBase, token) };
    return { ...state, lastId: open.id, replacement: { ...replacement, open } };
  }
  return replacement === state.replacement ? state : { ...state, replacement };
}

function scheduleReplacement({ replacedAt, connection }: PlayerState, now: Moment): Replacement {
  const since = now.monotonicMs;
  const isSoon = replacedAt !== null && !hasLasted(replacedAt, since) && !connection?.hasNewerToken;
  const failures = isSoon ? 1 : 0;
  return { open: null, failures, since, dueAt: since + waitAfter(failures, since, now) };
}

function isSecondPress({ pressedAt }: PlayerState, { monotonicMs }: Moment): boolean {
  return pressedAt !== null && monotonicMs - pressedAt < LONGEST_DOUBLE_PRESS_MS;
}

/** Joins the stream at its live edge; without a token it can only resume what was paused from outside. */
function play(state: PlayerState, now: Moment): PlayerState {
  const { wanted, held, obstacle, connection } = state;
  if (held || (wanted && obstacle === null)) return state;
  const hasToken = activeToken(state, now) !== null;
  if (!hasToken && (connection === null || obstacle !== 'pausedOutside')) return state;
  return {
    ...(hasToken ? disconnect(state) : state),
    wanted: true,
    claim: { epochMs: now.epochMs, chance: now.chance },
    obstacle: null,
    otherTabPlays: false,
    hasPlayed: wanted && state.hasPlayed,
    pressedAt: now.monotonicMs,
  };
}

function stop(state: PlayerState): PlayerState {
  return { ...disconnect(state), wanted: false, claim: null, obstacle: null };
}

function disconnect(state: PlayerState): PlayerState {
  return {
    ...state,
    held: false,
    connection: null,
    replacement: null,
    reconnection: NO_RECONNECTION,
    creations: resetCreations(state.creations),
    isProgrammeSilent: false,
  };
}

/** @returns whether the other tab's claim is older than ours, and so close to it that neither tab knew of the other */
function isOlder(other: Claim, own: Claim | null): boolean {
  if (own === null || Math.abs(other.epochMs - own.epochMs) > SAME_TIME_MS) return false;
  return other.epochMs === own.epochMs ? other.chance < own.chance : other.epochMs < own.epochMs;
}

function beginCreation(before: PlayerState): PlayerState {
  // Another button was pressed in between, so the next press of the large one is not a second press.
  const state = { ...before, pressedAt: null };
  const creations: Creations = { ...state.creations, dueAt: null, underWay: 'pressed' };
  if (!state.wanted || isMissing(state)) return { ...state, creations };
  return { ...state, creations, held: true, replacement: null };
}

function completeCreation(state: PlayerState, token: StoredToken): PlayerState {
  const wasPressed = state.creations.underWay === 'pressed';
  const done = { ...state, creations: { ...state.creations, underWay: null } };
  return state.held ? { ...stop(done), token } : adoptToken(done, token, wasPressed);
}

function failCreation(state: PlayerState, retryAfterSeconds: number, now: Moment): PlayerState {
  const { creations, connection, reconnection } = state;
  return {
    ...state,
    held: false,
    connection: state.held ? startGap(connection, now) : connection,
    creations: recordFailedCreation(creations, retryAfterSeconds, now),
    // Sound that was lost meanwhile.
    reconnection:
      state.held && !connection
        ? { ...NO_RECONNECTION, failed: 1, failingSince: now.monotonicMs }
        : reconnection,
  };
}

/** A connection that waited for data while it was held unheard has half a second to be heard again. */
function startGap(connection: CurrentConnection | null, { monotonicMs }: Moment): CurrentConnection | null {
  const waits = connection?.phase === 'waiting' || connection?.phase === 'starving';
  return waits ? { ...connection, phase: 'waiting', phaseSince: monotonicMs } : connection;
}

/**
 * Lost sound plays with the new token. `wasPressed`: also after a pause from outside or a reload, since the partner
 * asked.
 */
function adoptToken(state: PlayerState, token: StoredToken | null, wasPressed: boolean): PlayerState {
  const { connection, obstacle, reconnection } = state;
  if (!state.wanted || state.held || token === null || token.token === state.token?.token)
    return { ...state, token };
  const endsObstacle = wasPressed || obstacle === 'refused' || obstacle === 'blocked';
  const hasNewerToken = wasPressed || isMissing(state);
  return {
    ...state,
    token,
    obstacle: endsObstacle ? null : obstacle,
    // Still a loss.
    reconnection: {
      ...NO_RECONNECTION,
      failed: isMissing(state) ? 1 : 0,
      failingSince: reconnection.failingSince,
    },
    connection: connection && connection.playingSince !== null ? { ...connection, hasNewerToken } : null,
  };
}

function applyAnswer(state: PlayerState, answer: StreamAnswer, now: Moment): PlayerState {
  const reconnection = recordAnswer(state.reconnection, answer);
  // At once, but once: an element may refuse what the provider calls audio.
  if (answer === 'audio' && reconnection.answersInARow === 1 && reconnection.dueAt !== null)
    return { ...state, reconnection: { ...reconnection, dueAt: now.monotonicMs } };
  if (!isRefused(reconnection)) return { ...state, reconnection };
  return { ...state, reconnection: { ...reconnection, dueAt: null }, connection: null, obstacle: 'refused' };
}

function retryNow(state: PlayerState, now: Moment): PlayerState {
  const { connection, replacement, reconnection } = state;
  if (replacement) return { ...state, replacement: { ...replacement, dueAt: now.monotonicMs } };
  const waitsForData = connection?.phase === 'waiting' || connection?.phase === 'starving';
  const canReplace = waitsForData && state.obstacle === null && activeToken(state, now) !== null;
  if (!canReplace && reconnection.dueAt === null) return state;
  return {
    ...state,
    connection: canReplace ? null : connection,
    reconnection: { ...reconnection, dueAt: now.monotonicMs },
  };
}
