import { MINUTE_MS } from '../../../shared/durations.ts';
import { backoffMs } from '../backoff.ts';

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

/** Consecutive attempts of one kind: connections for lost sound, replacements, or tokens. Times are of the monotonic clock. */
export type Attempts = {
  /** How many failed; of tokens, how many began. */
  count: number;
  /** When the first of them failed or was scheduled. */
  since: number | null;
  notBefore: number;
  dueAt: number | null;
};

export const NO_ATTEMPT: Attempts = { count: 0, since: null, notBefore: 0, dueAt: null };

export function hasLasted(sinceMs: number | null, { monotonicMs }: Moment): boolean {
  return sinceMs !== null && monotonicMs - sinceMs >= LASTING_SOUND_MS;
}

export function counted(before: Attempts, { monotonicMs, chance }: Moment): Attempts {
  const since = before.since ?? monotonicMs;
  const longestMs = monotonicMs - since >= LATE_FROM_MS ? LONGEST_LATE_WAIT_MS : LONGEST_WAIT_MS;
  const waitMs = backoffMs(before.count + 1, longestMs, chance);
  return { count: before.count + 1, since, notBefore: monotonicMs + waitMs, dueAt: null };
}

export function countedCreation({ count, since }: Attempts, { monotonicMs }: Moment): Attempts {
  const waitMs = CREATIONS_APART_MS[count] ?? LATER_CREATIONS_APART_MS;
  return { count: count + 1, since: since ?? monotonicMs, notBefore: monotonicMs + waitMs, dueAt: null };
}

/** Does not count the last creation, so that a token comes soon after the network is back. */
export function withoutLastCreation(before: Attempts, { monotonicMs }: Moment): Attempts {
  return {
    ...before,
    count: Math.max(0, before.count - 1),
    notBefore: monotonicMs + FIRST_CREATION_AGAIN_MS,
  };
}

/** Sets when the next attempt is due, unless that is set: within a random 300 ms, or at `notBefore` if that is later. */
export function scheduled(before: Attempts, { monotonicMs, chance }: Moment): Attempts {
  if (before.dueAt !== null) return before;
  const dueAt = Math.max(monotonicMs + FIRST_WAIT_MS * chance, before.notBefore);
  return { ...before, since: before.since ?? monotonicMs, dueAt };
}

export function unscheduled(before: Attempts): Attempts {
  return before.dueAt === null ? before : { ...before, dueAt: null };
}

export function isDue({ dueAt }: Attempts, { monotonicMs }: Moment): boolean {
  return dueAt !== null && monotonicMs >= dueAt;
}
