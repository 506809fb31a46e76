const SILENCE_ALLOWED_MS = 5_000;
/** Allowed while a connection opens, and where no token could open another. */
const LONG_SILENCE_ALLOWED_MS = 15_000;

/** A longer gap between two checks counts as this much: nobody knows what happened in between. */
const LONGEST_GAP_COUNTED_MS = 2_000;

/** `position`: the playback position in seconds. `silentMs`: for how long the position has not moved, as far as it was checked. */
export type Listening = { at: number; position: number; silentMs: number; heard: boolean };

/** @param at milliseconds of a monotonic clock */
export function listeningFrom(at: number): Listening {
  return { at, position: 0, silentMs: 0, heard: false };
}

/**
 * Adds one check of the playback position. Timers of hidden pages and sleeping machines run late, so only the checks that found no
 * progress count: one late check never ends a stream that played on.
 */
export function listenAgain(before: Listening, at: number, position: number): Listening {
  if (position !== before.position) return { at, position, silentMs: 0, heard: true };
  const gapMs = Math.min(at - before.at, LONGEST_GAP_COUNTED_MS);
  return { ...before, at, silentMs: before.silentMs + gapMs };
}

/** Returns whether to give up the connection: a stream can fall silent without any event. `replaceable`: a token can open another. */
export function isTooSilent({ silentMs, heard }: Listening, replaceable: boolean): boolean {
  return silentMs >= (heard && replaceable ? SILENCE_ALLOWED_MS : LONG_SILENCE_ALLOWED_MS);
}
