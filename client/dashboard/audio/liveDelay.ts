import { SECOND_MS } from '../../../shared/durations.ts';

/** Delay in the first seconds of a connection's sound does not count: sound cards and buffers fill then. */
const SETTLING_MS = 5_000;
/** No server buffers this much for a listener, so such a gap is a sleep, not delay. */
const LONGEST_PAUSE_MS = 45_000;
const SLEEP_FROM_MS = 2_000;
const SHORTEST_SLEEP_MS = 4_000;

export type PlaybackPosition = { monotonicMs: number; epochMs: number; position: number };

export type LiveDelay = { last: PlaybackPosition; settledAtMs: number; behindMs: number };

export function startDelay(now: PlaybackPosition): LiveDelay {
  return { last: now, settledAtMs: now.monotonicMs + SETTLING_MS, behindMs: 0 };
}

/**
 * Returns by how many milliseconds the wall clock ran ahead of the monotonic one (negative: behind it); 0 if by little.
 * Either the wall clock was set, or the machine slept and its monotonic clock stopped meanwhile, as on some systems.
 */
export function ranAhead(last: PlaybackPosition, now: PlaybackPosition): number {
  const aheadMs = now.epochMs - last.epochMs - (now.monotonicMs - last.monotonicMs);
  return Math.abs(aheadMs) > SLEEP_FROM_MS ? aheadMs : 0;
}

/**
 * Returns the milliseconds of sound missed if the machine slept between the two positions, else 0.
 * @param stoppedMs - how long it slept with its monotonic clock stopped
 */
export function missedInSleep(last: PlaybackPosition, now: PlaybackPosition, stoppedMs = 0): number {
  const passedMs = now.monotonicMs - last.monotonicMs + stoppedMs;
  const missedMs = passedMs - (now.position - last.position) * SECOND_MS;
  return passedMs >= SHORTEST_SLEEP_MS && missedMs >= SLEEP_FROM_MS ? missedMs : 0;
}

export function updateDelay({ last, settledAtMs, behindMs }: LiveDelay, now: PlaybackPosition): LiveDelay {
  const passedMs = now.monotonicMs - last.monotonicMs;
  const missedMs = passedMs - (now.position - last.position) * SECOND_MS;
  const counts = now.monotonicMs >= settledAtMs && passedMs <= LONGEST_PAUSE_MS;
  return { last: now, settledAtMs, behindMs: counts ? behindMs + missedMs : behindMs };
}

export function addSleep(delay: LiveDelay, stoppedMs: number): LiveDelay {
  const counts = delay.last.monotonicMs >= delay.settledAtMs && stoppedMs <= LONGEST_PAUSE_MS;
  return counts ? { ...delay, behindMs: delay.behindMs + stoppedMs } : delay;
}
