import { SECOND_MS } from '../../../shared/durations.ts';

/** Delay in the first seconds of a connection's sound does not count: sound cards and buffers fill then. */
const SETTLING_MS = 5_000;
/** No server buffers this much for a listener, so such a gap is a sleep, not delay. */
const LONGEST_PAUSE_MS = 45_000;
const SHORTEST_SLEEP_MS = 4_000;

export type PlaybackPosition = { monotonicMs: number; epochMs: number; position: number };

export type LiveDelay = { last: PlaybackPosition; settledAtMs: number; behindMs: number };

export function startDelay(now: PlaybackPosition): LiveDelay {
  return { last: now, settledAtMs: now.monotonicMs + SETTLING_MS, behindMs: 0 };
}

/**
 * Returns whether the wall clock ran ahead of the monotonic one by as much as a sleep after which a connection goes on.
 * Either the machine slept and its monotonic clock stopped meanwhile, as on some systems, or its wall clock was set.
 */
export function mayHaveSlept(last: PlaybackPosition, now: PlaybackPosition): boolean {
  const aheadMs = now.epochMs - last.epochMs - (now.monotonicMs - last.monotonicMs);
  return aheadMs >= SHORTEST_SLEEP_MS && aheadMs <= LONGEST_PAUSE_MS;
}

export function updateDelay({ last, settledAtMs, behindMs }: LiveDelay, now: PlaybackPosition): LiveDelay {
  const passedMs = now.monotonicMs - last.monotonicMs;
  const missedMs = passedMs - (now.position - last.position) * SECOND_MS;
  const counts = now.monotonicMs >= settledAtMs && passedMs <= LONGEST_PAUSE_MS;
  return { last: now, settledAtMs, behindMs: counts ? behindMs + missedMs : behindMs };
}
