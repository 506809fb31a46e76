import { MINUTE_MS } from '../../../shared/durations.ts';
import { backoffMs } from '../../api/backoff.ts';
import { hasSameParts } from '../hasSameParts.ts';

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_LATE_WAIT_MS = 30_000;
const LATE_FROM_MS = 5 * MINUTE_MS;
const FIRST_CREATION_AGAIN_MS = MINUTE_MS / 2;
const CREATIONS_APART_MS = [FIRST_CREATION_AGAIN_MS, MINUTE_MS, 2 * MINUTE_MS];
const LATER_CREATIONS_APART_MS = 5 * MINUTE_MS;
/** Sound of this length resets the attempts: the next loss is a new one, and begins with the shortest wait. */
const LASTING_SOUND_MS = 10_000;

/**
 * Time and chance of an event. `epochMs` is for the time of day, `monotonicMs` for durations, since the first clock may
 * be set meanwhile. `chance` is a new random number from 0 to 1.
 */
export type Moment = { epochMs: number; monotonicMs: number; chance: number };

/**
 * `reconnect` opens a connection for lost sound, `replace` opens one beside the one that is heard, `create` creates a
 * token by itself.
 */
export type AttemptKind = 'reconnect' | 'replace' | 'create';

/** Consecutive attempts of one kind. Times are of the monotonic clock. */
export type Attempts = {
  /** How many failed; for `create`, how many began. */
  count: number;
  /** When the first of them failed or was scheduled. */
  since: number | null;
  notBefore: number;
  dueAt: number | null;
};

type HasAttempts = { attempts: Record<AttemptKind, Attempts> };

export const NO_ATTEMPT: Attempts = { count: 0, since: null, notBefore: 0, dueAt: null };

export function withAttempts<State extends HasAttempts>(
  state: State,
  kind: AttemptKind,
  part: Partial<Attempts>,
): State {
  const { attempts } = state;
  const changed = { ...attempts[kind], ...part };
  return hasSameParts(attempts[kind], changed)
    ? state
    : { ...state, attempts: { ...attempts, [kind]: changed } };
}

export function hasLasted(sinceMs: number | null, { monotonicMs }: Moment): boolean {
  return sinceMs !== null && monotonicMs - sinceMs >= LASTING_SOUND_MS;
}

export function counted<State extends HasAttempts>(
  state: State,
  kind: AttemptKind,
  { monotonicMs, chance }: Moment,
): State {
  const before = state.attempts[kind];
  const count = before.count + 1;
  const since = before.since ?? monotonicMs;
  const longestMs = monotonicMs - since >= LATE_FROM_MS ? LONGEST_LATE_WAIT_MS : LONGEST_WAIT_MS;
  const waitMs =
    kind === 'create'
      ? (CREATIONS_APART_MS[count - 1] ?? LATER_CREATIONS_APART_MS)
      : backoffMs(count, longestMs, chance);
  return withAttempts(state, kind, { count, since, notBefore: monotonicMs + waitMs, dueAt: null });
}

/** Does not count the last creation, so that a token comes soon after the network is back. */
export function withoutLastCreation<State extends HasAttempts>(state: State, { monotonicMs }: Moment): State {
  const count = Math.max(0, state.attempts.create.count - 1);
  return withAttempts(state, 'create', { count, notBefore: monotonicMs + FIRST_CREATION_AGAIN_MS });
}

/** Sets when the next attempt is due, unless that is set: within a random 300 ms, or at `notBefore` if that is later. */
export function scheduled<State extends HasAttempts>(
  state: State,
  kind: AttemptKind,
  { monotonicMs, chance }: Moment,
): State {
  const { since, notBefore, dueAt } = state.attempts[kind];
  return withAttempts(state, kind, {
    since: since ?? monotonicMs,
    dueAt: dueAt ?? Math.max(monotonicMs + FIRST_WAIT_MS * chance, notBefore),
  });
}

export function isDue({ attempts }: HasAttempts, kind: AttemptKind, { monotonicMs }: Moment): boolean {
  const { dueAt } = attempts[kind];
  return dueAt !== null && monotonicMs >= dueAt;
}
