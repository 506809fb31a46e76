import type { Moment } from './nextAttempt.ts';
import type { Dropout } from './playerState.ts';
import { isMissing, isPlaying, type Sound } from './sound.ts';

const SHORTEST_DROPOUT_MS = 1_000;

export function updateDropout(
  dropout: Dropout | null,
  before: Sound,
  after: Sound,
  { epochMs, monotonicMs }: Moment,
): Dropout | null {
  if (isMissing(after) && !isPlaying(after))
    return isPlaying(before) ? { kind: 'ongoing', startedAt: epochMs, sinceMs: monotonicMs } : dropout;
  if (!isPlaying(after)) return null;
  if (dropout?.kind !== 'ongoing') return dropout;
  const lastedMs = monotonicMs - dropout.sinceMs;
  return lastedMs < SHORTEST_DROPOUT_MS ? null : { ...dropout, kind: 'over', lastedMs };
}
