import type { SoundPhase } from './playerState.ts';

const SHORTEST_TOLD_MS = 1_000;

/** `epochMs` for the time of day, `monotonicMs` for durations, since the first clock may be set meanwhile. */
export type Moment = { epochMs: number; monotonicMs: number };

type Ended = { kind: 'over'; startedAt: number; lastedMs: number };

export type Dropout = { kind: 'none' } | { kind: 'ongoing'; since: Moment; earlier: Ended | null } | Ended;

export const NO_DROPOUT: Dropout = { kind: 'none' };

/**
 * Returns the last dropout, after the sound changed from `before` to `after`. A dropout begins when sound is lost, and ends when sound
 * plays again. A dropout shorter than a second does not replace the earlier one.
 */
export function dropoutAfter(dropout: Dropout, before: SoundPhase, after: SoundPhase, now: Moment): Dropout {
  if (after === 'missing' && before === 'sounding')
    return { kind: 'ongoing', since: now, earlier: dropout.kind === 'over' ? dropout : null };
  if (after === 'missing') return dropout;
  if (after !== 'sounding') return NO_DROPOUT;
  if (dropout.kind !== 'ongoing') return dropout;
  const lastedMs = now.monotonicMs - dropout.since.monotonicMs;
  if (lastedMs < SHORTEST_TOLD_MS) return dropout.earlier ?? NO_DROPOUT;
  return { kind: 'over', startedAt: dropout.since.epochMs, lastedMs };
}
