import { backoffMs } from '../../api/backoff.ts';
import type { StreamAnswer } from './connection/askStream.ts';
import type { Moment } from './dropout.ts';

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 15_000;
/** After five minutes of failures. */
const LONGEST_LATE_WAIT_MS = 30_000;
/** After sound of this length a loss counts as a new one: reconnecting begins with the shortest wait again. */
const LASTING_SOUND_MS = 10_000;
/** Readable refusals in a row. */
const REFUSALS_BELIEVED = 2;
/** Unreadable answers in a row, which count as a refusal where the partner ordered another token beforehand. */
const UNREADABLE_BELIEVED = 4;

/** The attempts to connect since sound last lasted. */
export type Attempts = {
  failed: number;
  /** When the first of them failed, by the monotonic clock. */
  since: number;
  /** When the next one comes, by the monotonic clock; null for at once. */
  dueAt: number | null;
  /** The connection that did not open, while the page asks for the cause. */
  asking: { id: number; url: string } | null;
  /** The last answer of the provider, null if nobody asked. `noOutput`: this computer could not play the sound. */
  answer: StreamAnswer | 'noOutput' | null;
  /** How often in a row it was that. */
  answered: number;
};

export const NO_ATTEMPTS: Attempts = {
  failed: 0,
  since: 0,
  dueAt: null,
  asking: null,
  answer: null,
  answered: 0,
};

/** @param soundSince - when the lost sound began, null if there was none */
export function afterFailure(before: Attempts, soundSince: number | null, now: Moment): Attempts {
  const isNew = before.failed === 0 || hasLasted(soundSince, now.monotonicMs);
  const failed = isNew ? 1 : before.failed + 1;
  const since = isNew ? now.monotonicMs : before.since;
  const waitMs = soundSince !== null && isNew ? FIRST_WAIT_MS * now.chance : waitAfter(failed, since, now);
  return { ...before, failed, since, dueAt: now.monotonicMs + waitMs, asking: null };
}

export function afterAnswer(before: Attempts, answer: Attempts['answer']): Attempts {
  return { ...before, asking: null, answer, answered: answer === before.answer ? before.answered + 1 : 1 };
}

export function isRefused({ answer, answered }: Attempts): boolean {
  return answer === 'refused' && answered >= REFUSALS_BELIEVED;
}

export function isLikelyRefused(attempts: Attempts): boolean {
  const { answer, answered } = attempts;
  return isRefused(attempts) || (answer === 'unreadable' && answered >= UNREADABLE_BELIEVED);
}

/** @param since - when the first failure was, by the monotonic clock */
export function waitAfter(failures: number, since: number, { monotonicMs, chance }: Moment): number {
  if (failures === 0) return FIRST_WAIT_MS * chance;
  const isLong = monotonicMs - since >= 5 * MINUTE_MS;
  return backoffMs(failures, isLong ? LONGEST_LATE_WAIT_MS : LONGEST_WAIT_MS, chance);
}

/** @param sinceMs - when the sound began, as `nowMs` by the monotonic clock; null if there was none */
export function hasLasted(sinceMs: number | null, nowMs: number): boolean {
  return sinceMs !== null && nowMs - sinceMs >= LASTING_SOUND_MS;
}
