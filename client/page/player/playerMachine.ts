import { MINUTE_MS } from '../../../shared/durations.ts';
import { shallowEqual } from '../isSame.ts';
import { afterConnectionEvent, type ConnectionEvent, measuredAgain } from './connectionEvents.ts';
import { updateDropout } from './dropout.ts';
import {
  type Attempts,
  counted,
  hasLasted,
  isDue,
  type Moment,
  NO_ATTEMPT,
  scheduled,
  unscheduled,
} from './nextAttempt.ts';
import {
  activeToken,
  GAP_ALLOWED_MS,
  type Heard,
  isConnected,
  lacksSound,
  NO_CONNECTION,
  type PlayerInput,
  type PlayerState,
  streamAddress,
  wantsLevel,
  withoutOpening,
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
 * from the events of a connection. All functions are pure: `afterPlay` returns the state after a press of play, and
 * `withNextStep` the state in which another connection opens if one is needed.
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
  const { wanted, mutedWhileCreating, obstacle, heard } = state;
  if (mutedWhileCreating || (wanted && obstacle === null)) return state;
  const hasToken = activeToken(now) !== null;
  if (!hasToken && (heard === null || obstacle !== 'pausedOutside')) return state;
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

function withNextStep(before: PlayerState, now: PlayerInput): PlayerState {
  const { wanted, mutedWhileCreating, obstacle } = before;
  if (!wanted || mutedWhileCreating) return before;
  if (obstacle !== null) return withoutLongPause(before, now);
  const heard = before.heard && markLongGap(before.heard, now);
  const state = { ...before, heard };
  if (state.opening !== null) return state;
  const isGood = heard !== null && !lacksSound(heard) && !wantsLevel(heard, now);
  return isGood ? withoutOpening(state) : withOpening(state, now);
}

/** Opens a connection once the next attempt is due. */
function withOpening(state: PlayerState, now: PlayerInput): PlayerState {
  const { heard } = state;
  const url = streamAddress(now);
  if (url === null) return withoutAddress(state, now);
  const attempts = heard ? attemptsBeside(heard, state.attempts, now) : state.attempts;
  if (attempts.dueAt !== null && !isDue(attempts, now)) return { ...state, attempts };
  const isPlain = state.plain === 'next' && (heard === null || lacksSound(heard));
  return {
    ...state,
    attempts: unscheduled(attempts),
    plain: isPlain ? 'tried' : state.plain,
    opening: { id: now.number, url, isSpeedForced: false, isPlain, measureAt: null },
  };
}

function withoutAddress(state: PlayerState, now: Moment): PlayerState {
  const { heard, attempts } = state;
  if (heard) return { ...withoutOpening(state), heard: measuredAgain(heard, now) };
  return { ...state, attempts: unscheduled(attempts) };
}

function attemptsBeside(heard: Heard, attempts: Attempts, now: Moment): Attempts {
  const isFirst = attempts.dueAt === null;
  // A replacement that did not last counts as failed.
  const isSoon = heard.hasReplaced && !hasLasted(heard.playingSince, now) && !heard.hasNewerToken;
  return scheduled(isFirst && isSoon ? counted(attempts, now) : attempts, now);
}

/** Returns whether only another token can bring back wanted sound that was heard before. */
export function needsAnotherToken(state: PlayerState, now: PlayerInput): boolean {
  const { wanted, mutedWhileCreating, hasPlayed, obstacle, answers } = state;
  if (!wanted || mutedWhileCreating || !hasPlayed || (obstacle !== null && obstacle !== 'refused'))
    return false;
  if (activeToken(now) === null) return !isConnected(state) || isDry(state);
  return !isConnected(state) && (obstacle === 'refused' || isLikelyRefused(answers));
}

function withoutLongPause(state: PlayerState, now: Moment): PlayerState {
  const { heard } = state;
  return heard && now.monotonicMs >= heard.phaseSince + OUTSIDE_PAUSE_KEPT_MS
    ? { ...state, heard: null }
    : state;
}

function markLongGap(heard: Heard, now: Moment): Heard {
  const isLong = heard.phase === 'waiting' && now.monotonicMs >= heard.phaseSince + GAP_ALLOWED_MS;
  return isLong ? { ...heard, phase: 'starving' } : heard;
}

/** When to send `timePassed` next, by the monotonic clock; `Infinity` if nothing is due. */
export function nextDueAt(state: PlayerState): number {
  const { wanted, mutedWhileCreating, obstacle, heard, opening, attempts } = state;
  const never = Number.POSITIVE_INFINITY;
  const due = [attempts.dueAt ?? never];
  if (heard && obstacle === null && opening === null && attempts.dueAt === null)
    due.push(heard.measureAt ?? never);
  if (heard?.phase === 'waiting') due.push(heard.phaseSince + GAP_ALLOWED_MS);
  if (heard && obstacle === 'pausedOutside') due.push(heard.phaseSince + OUTSIDE_PAUSE_KEPT_MS);
  return wanted && !mutedWhileCreating ? Math.min(...due) : never;
}

function afterAnswer(before: PlayerState, answer: StreamAnswer, now: Moment): PlayerState {
  const answers = withAnswer(before.answers, answer);
  const plain = answer === 'unreadable' && before.plain === 'untried' ? 'next' : before.plain;
  const state: PlayerState = { ...before, answers, plain };
  // Retries at once, but only the first time: an element may refuse what the provider calls audio.
  const { attempts } = state;
  if (answer === 'audio' && answers.inARow === 1 && attempts.dueAt !== null)
    return { ...state, attempts: { ...attempts, dueAt: now.monotonicMs } };
  if (!isRefused(answers)) return state;
  return {
    ...state,
    attempts: unscheduled(attempts),
    opening: null,
    obstacle: 'refused',
    refusedTokens: state.refusedTokens + 1,
  };
}

function afterRetry(state: PlayerState, now: PlayerInput): PlayerState {
  const { mutedWhileCreating, obstacle, heard, opening, attempts } = state;
  if (mutedWhileCreating || opening !== null) return state;
  if (attempts.dueAt !== null) return { ...state, attempts: { ...attempts, dueAt: now.monotonicMs } };
  const isStarving = heard !== null && markLongGap(heard, now).phase === 'starving';
  if (!isStarving || obstacle !== null || streamAddress(now) === null) return state;
  // One failed attempt is counted, so that the player says `reconnecting`, not `connecting`.
  const count = Math.max(1, heard.attempts.count);
  return { ...state, attempts: { ...heard.attempts, count }, heard: null };
}

function withOutput(state: PlayerState): PlayerState {
  return state.answers.last === 'noOutput' ? { ...state, answers: NO_ANSWERS } : state;
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
  const { heard, obstacle, wanted, mutedWhileCreating } = state;
  if (!wanted || mutedWhileCreating) return state;
  const endsObstacle = wasPressed || obstacle === 'refused' || obstacle === 'blocked';
  const isLost = isMissing(soundOf(state));
  // One failed attempt is kept, so that the player says `reconnecting`, not `connecting`, until sound is heard.
  const { since } = heard?.attempts ?? state.attempts;
  const attempts = isLost ? { ...NO_ATTEMPT, count: 1, since } : NO_ATTEMPT;
  const next = { ...state, obstacle: endsObstacle ? null : obstacle, answers: NO_ANSWERS };
  if (heard === null) return { ...next, attempts, opening: null };
  return { ...(isLost ? withoutOpening(next) : next), heard: { ...heard, attempts, hasNewerToken: isLost } };
}

function afterCreationPress(before: PlayerState): PlayerState {
  const state: PlayerState = { ...before, wasInterrupted: false };
  // Sound that is wanted and not heard yet, or no longer, plays with the new token.
  return soundOf(state) === 'playing' ? { ...withoutOpening(state), mutedWhileCreating: true } : state;
}

function afterFailedCreation(before: PlayerState, now: Moment): PlayerState {
  if (!before.mutedWhileCreating) return before;
  const state = { ...before, mutedWhileCreating: false };
  const { heard } = state;
  // The connection was lost while a token was created.
  if (!heard) return { ...state, attempts: counted(NO_ATTEMPT, now) };
  // A connection that waited for data while it was muted gets another half second.
  return heard.phase === 'playing'
    ? state
    : { ...state, heard: { ...heard, phase: 'waiting', phaseSince: now.monotonicMs } };
}

function unwanted(state: PlayerState): PlayerState {
  return { ...state, ...NO_CONNECTION, wanted: false, obstacle: null };
}
