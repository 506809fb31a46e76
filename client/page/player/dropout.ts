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
  if (!isPlaying(after)) {
    if (!isMissing(after)) return null;
    if (!isPlaying(before)) return dropout;
    const earlier = dropout?.kind === 'over' ? dropout : null;
    return { kind: 'ongoing', epochMs, since: monotonicMs, earlier };
  }
  if (dropout?.kind !== 'ongoing') return dropout;
  const { since, earlier } = dropout;
  const lastedMs = monotonicMs - since;
  return lastedMs < SHORTEST_DROPOUT_MS
    ? earlier
    : { kind: 'over', epochMs: dropout.epochMs, since, lastedMs };
}
