/** The first seconds of a connection's sound, in which sound cards and buffers fill. */
const SETTLING_MS = 5_000;
/**
 * A longer pause between two checks does not count as delay: a server keeps less than this for a listener who does not read, so the machine slept
 * over the end of its connection, or a clock was set.
 */
const LONGEST_PAUSE_MS = 45_000;
/** From this difference on the machine slept, during which some systems stop the monotonic clock. */
const SLEEP_FROM_MS = 2_000;

export type Heard = { monotonicMs: number; epochMs: number; position: number };

export type LiveDelay = { last: Heard; settledAtMs: number; behindMs: number };

export function delayFrom(heard: Heard): LiveDelay {
  return { last: heard, settledAtMs: heard.monotonicMs + SETTLING_MS, behindMs: 0 };
}

export function delayAfter({ last, settledAtMs, behindMs }: LiveDelay, heard: Heard): LiveDelay {
  const monotonicMs = heard.monotonicMs - last.monotonicMs;
  const epochMs = heard.epochMs - last.epochMs;
  const passedMs = epochMs - monotonicMs > SLEEP_FROM_MS ? epochMs : monotonicMs;
  const missedMs = passedMs - (heard.position - last.position) * 1_000;
  const counts = heard.monotonicMs >= settledAtMs && passedMs <= LONGEST_PAUSE_MS;
  return { last: heard, settledAtMs, behindMs: counts ? behindMs + missedMs : behindMs };
}
