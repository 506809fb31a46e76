import { backoffMs } from '../../api/backoff.ts';
import type { Moment } from './moment.ts';

/**
 * The provider's answer about a stream that does not open. `refused`: it does not accept the token; `unreadable`: the
 * browser may not read the answer; `audio`: it would open now; `notAudio`: a page, say.
 */
export type StreamAnswer = 'refused' | 'unreadable' | 'fault' | 'audio' | 'notAudio' | 'none';

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_LATE_WAIT_MS = 30_000;
/** After sound of this length a loss counts as a new one: reconnecting begins with the shortest wait again. */
const LASTING_SOUND_MS = 10_000;
const REFUSALS_BELIEVED = 2;
/**
 * Unreadable answers in a row that count as a refusal where the partner lets the page create another token by itself.
 */
const UNREADABLE_BELIEVED = 4;

/** The connections that failed since sound last lasted. Times are of the monotonic clock. */
export type Reconnection = {
  failed: number;
  failingSince: number;
  /** When the next one opens; null if none is scheduled. */
  dueAt: number | null;
  /** The connection that did not open, while the page asks for the cause. */
  asking: { id: number; url: string } | null;
  /** The last answer of the provider, null if nobody asked. `noOutput`: this computer could not play the sound. */
  answer: StreamAnswer | 'noOutput' | null;
  answersInARow: number;
};

export const NO_RECONNECTION: Reconnection = {
  failed: 0,
  failingSince: 0,
  dueAt: null,
  asking: null,
  answer: null,
  answersInARow: 0,
};

export function recordFailure(before: Reconnection, playingSince: number | null, now: Moment): Reconnection {
  const isNewLoss = before.failed === 0 || hasLasted(playingSince, now.monotonicMs);
  const failed = isNewLoss ? 1 : before.failed + 1;
  const failingSince = isNewLoss ? now.monotonicMs : before.failingSince;
  // Sound that was heard is sought sooner than sound that never came.
  const waitMs = waitAfter(isNewLoss && playingSince !== null ? 0 : failed, failingSince, now);
  return { ...before, failed, failingSince, dueAt: now.monotonicMs + waitMs, asking: null };
}

export function recordAnswer(
  before: Reconnection,
  answer: NonNullable<Reconnection['answer']>,
): Reconnection {
  const answersInARow = answer === before.answer ? before.answersInARow + 1 : 1;
  return { ...before, asking: null, answer, answersInARow };
}

export function forgetAnswer(before: Reconnection): Reconnection {
  return { ...before, asking: null, answer: null, answersInARow: 0 };
}

export function isRefused({ answer, answersInARow }: Reconnection): boolean {
  return answer === 'refused' && answersInARow >= REFUSALS_BELIEVED;
}

export function isLikelyRefused(reconnection: Reconnection): boolean {
  const { answer, answersInARow } = reconnection;
  return isRefused(reconnection) || (answer === 'unreadable' && answersInARow >= UNREADABLE_BELIEVED);
}

export function waitAfter(failures: number, failingSince: number, { monotonicMs, chance }: Moment): number {
  if (failures === 0) return FIRST_WAIT_MS * chance;
  const isLong = monotonicMs - failingSince >= 5 * MINUTE_MS;
  return backoffMs(failures, isLong ? LONGEST_LATE_WAIT_MS : LONGEST_WAIT_MS, chance);
}

export function hasLasted(sinceMs: number | null, nowMs: number): boolean {
  return sinceMs !== null && nowMs - sinceMs >= LASTING_SOUND_MS;
}
