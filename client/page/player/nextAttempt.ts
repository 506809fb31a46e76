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
 * The moment of an event. `epochMs` is for the time of day, `monotonicMs` for durations, since the first clock may be set
 * meanwhile. `random`: a new random number from 0 to 1, which spreads waits. `number`: another one for each event, by which
 * the session, question, creation or connection that begins with it is known.
 */
export type Moment = { epochMs: number; monotonicMs: number; random: number; number: number };

/** Consecutive attempts of one kind: connections for lost sound, replacements, or tokens. Times are of the monotonic clock. */
export type Attempts = {
  /** How many failed; of tokens, how many began. */
  count: number;
  /** Of tokens: how many answers in a row cost the provider nothing. They do not count. */
  free: number;
  /** When the first of them failed or was scheduled. */
  since: number | null;
  notBefore: number;
  dueAt: number | null;
};

export const NO_ATTEMPT: Attempts = { count: 0, free: 0, since: null, notBefore: 0, dueAt: null };

export function hasLasted(sinceMs: number | null, { monotonicMs }: Moment): boolean {
  return sinceMs !== null && monotonicMs - sinceMs >= LASTING_SOUND_MS;
}

export function counted(before: Attempts, { monotonicMs, random }: Moment): Attempts {
  const since = before.since ?? monotonicMs;
  const longestMs = monotonicMs - since >= LATE_FROM_MS ? LONGEST_LATE_WAIT_MS : LONGEST_WAIT_MS;
  const waitMs = backoffMs(before.count + 1, longestMs, random);
  return { ...before, count: before.count + 1, since, notBefore: monotonicMs + waitMs, dueAt: null };
}

export function countedCreation(before: Attempts, { monotonicMs }: Moment): Attempts {
  const { count, since } = before;
  const waitMs = CREATIONS_APART_MS[count] ?? LATER_CREATIONS_APART_MS;
  return {
    ...before,
    count: count + 1,
    since: since ?? monotonicMs,
    notBefore: monotonicMs + waitMs,
    dueAt: null,
  };
}

/**
 * Does not count the last creation, which cost the provider nothing: the next one follows soon after the wait that the
 * answer asks for, which chance makes up to a third longer, so that computers that wait for the same do not return in step.
 */
export function withFreeCreation(
  before: Attempts,
  waitMs: number,
  { monotonicMs, random }: Moment,
): Attempts {
  const free = before.free + 1;
  const ownMs = backoffMs(free, LONGEST_LATE_WAIT_MS, random);
  return {
    ...before,
    count: Math.max(0, before.count - 1),
    free,
    notBefore: monotonicMs + ownMs + waitMs * (1 + random / 3),
  };
}

/** Sets when the next attempt is due, unless that is set: within a random 300 ms, or at `notBefore` if that is later. */
export function scheduled(before: Attempts, { monotonicMs, random }: Moment): Attempts {
  if (before.dueAt !== null) return before;
  const dueAt = Math.max(monotonicMs + FIRST_WAIT_MS * random, before.notBefore);
  return { ...before, since: before.since ?? monotonicMs, dueAt };
}

export function unscheduled(before: Attempts): Attempts {
  return before.dueAt === null ? before : { ...before, dueAt: null };
}

export function isDue({ dueAt }: Attempts, { monotonicMs }: Moment): boolean {
  return dueAt !== null && monotonicMs >= dueAt;
}
