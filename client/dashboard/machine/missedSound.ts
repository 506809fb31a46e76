import type { Moment } from './nextAttempt.ts';
import type { Dropout } from './playerState.ts';
import { isMissing, isPlaying, type Sound } from './sound.ts';

const SHORTEST_DROPOUT_MS = 1_000;
/** A loss this soon after another counts as the same dropout. */
const APART_MS = 5_000;

/** How much sound was missed while the machine slept, and when that ended by the monotonic clock. */
export type Sleep = { missedMs: number; untilMs: number };

export function updateDropout(
  dropout: Dropout | null,
  before: Sound,
  after: Sound,
  { epochMs, monotonicMs }: Moment,
): Dropout | null {
  if (!isPlaying(after)) {
    if (!isMissing(after)) return null;
    if (!isPlaying(before)) return dropout;
    const earlier = dropout?.kind === 'over' ? dropout : null;
    const goesOn = earlier !== null && monotonicMs - earlier.sinceMs - earlier.lastedMs < APART_MS;
    const { startedAt, sinceMs } = goesOn ? earlier : { startedAt: epochMs, sinceMs: monotonicMs };
    return { kind: 'ongoing', startedAt, sinceMs, earlier };
  }
  if (dropout?.kind !== 'ongoing') return dropout;
  const { startedAt, sinceMs, earlier } = dropout;
  const lastedMs = monotonicMs - sinceMs;
  return lastedMs < SHORTEST_DROPOUT_MS ? earlier : { kind: 'over', startedAt, sinceMs, lastedMs };
}

/**
 * Dates an ongoing dropout back to the sleep, in which its sound was lost. Else the sleep is a dropout that is over.
 */
export function dropoutWithSleep(
  dropout: Dropout | null,
  { missedMs, untilMs }: Sleep,
  { epochMs, monotonicMs }: Moment,
): Dropout {
  const sinceMs = untilMs - missedMs;
  const startedAt = epochMs - (monotonicMs - sinceMs);
  if (dropout?.kind !== 'ongoing') return { kind: 'over', startedAt, sinceMs, lastedMs: missedMs };
  return sinceMs < dropout.sinceMs ? { ...dropout, startedAt, sinceMs } : dropout;
}
