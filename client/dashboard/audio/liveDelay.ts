import { SECOND_MS } from '../../../shared/durations.ts';

/** Delay in the first seconds of a connection's sound does not count: sound cards and buffers fill then. */
const SETTLING_MS = 5_000;
/** No server buffers this much for a listener, so such a gap is a sleep or a clock change, not delay. */
const LONGEST_PAUSE_MS = 45_000;
/** A difference this large means that the machine slept; some systems stop the monotonic clock meanwhile. */
const SLEEP_FROM_MS = 2_000;
const SHORTEST_SLEEP_MS = 4_000;

export type PlaybackPosition = { monotonicMs: number; epochMs: number; position: number };

export type LiveDelay = { last: PlaybackPosition; settledAtMs: number; behindMs: number };

export function startDelay(now: PlaybackPosition): LiveDelay {
  return { last: now, settledAtMs: now.monotonicMs + SETTLING_MS, behindMs: 0 };
}

/** Returns the milliseconds of sound missed if the machine slept between the two positions, else 0. */
export function missedInSleep(last: PlaybackPosition, now: PlaybackPosition): number {
  const passedMs = passedBetween(last, now);
  const missedMs = passedMs - (now.position - last.position) * SECOND_MS;
  return passedMs >= SHORTEST_SLEEP_MS && missedMs >= SLEEP_FROM_MS ? missedMs : 0;
}

export function updateDelay({ last, settledAtMs, behindMs }: LiveDelay, now: PlaybackPosition): LiveDelay {
  const passedMs = passedBetween(last, now);
  const missedMs = passedMs - (now.position - last.position) * SECOND_MS;
  const counts = now.monotonicMs >= settledAtMs && passedMs <= LONGEST_PAUSE_MS;
  return { last: now, settledAtMs, behindMs: counts ? behindMs + missedMs : behindMs };
}

function passedBetween(last: PlaybackPosition, now: PlaybackPosition): number {
  const monotonicMs = now.monotonicMs - last.monotonicMs;
  const epochMs = now.epochMs - last.epochMs;
  return epochMs - monotonicMs > SLEEP_FROM_MS ? epochMs : monotonicMs;
}
