import { SECOND_MS } from '../../../shared/durations.ts';

/** The first seconds of a connection's sound, in which sound cards and buffers fill. */
const SETTLING_MS = 5_000;
/** No server buffers this much for a listener, so such a gap is a sleep or a clock change, not delay. */
const LONGEST_PAUSE_MS = 45_000;
/** From this difference on the machine slept, during which some systems stop the monotonic clock. */
const SLEEP_FROM_MS = 2_000;
const SHORTEST_SLEEP_MS = 4_000;

export type PlaybackPosition = { monotonicMs: number; epochMs: number; position: number };

export type LiveDelay = { last: PlaybackPosition; settledAtMs: number; behindMs: number };

export function startDelay(now: PlaybackPosition): LiveDelay {
  return { last: now, settledAtMs: now.monotonicMs + SETTLING_MS, behindMs: 0 };
}

/** Returns how much sound was missed while the machine slept between the two, 0 if it did not. */
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
