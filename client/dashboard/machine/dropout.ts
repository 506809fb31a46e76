import type { Moment } from './attempts.ts';
import type { Dropout } from './playerState.ts';
import { isMissing, isPlaying, type Sound } from './sound.ts';

const SHORTEST_DROPOUT_MS = 1_000;
/** A loss this soon after another counts as the same dropout. */
const APART_MS = 5_000;

/**
 * A dropout begins when sound is lost, and ends when sound plays again. One shorter than a second does not replace the
 * earlier one.
 */
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
    const lateMs = earlier === null ? 0 : epochMs - earlier.startedAt - earlier.lastedMs;
    const goesOnMs = earlier !== null && lateMs < APART_MS ? epochMs - earlier.startedAt : 0;
    return { kind: 'ongoing', startedAt: epochMs - goesOnMs, sinceMs: monotonicMs - goesOnMs, earlier };
  }
  if (dropout?.kind !== 'ongoing') return dropout;
  const lastedMs = monotonicMs - dropout.sinceMs;
  if (lastedMs < SHORTEST_DROPOUT_MS) return dropout.earlier;
  return { kind: 'over', startedAt: dropout.startedAt, lastedMs };
}
