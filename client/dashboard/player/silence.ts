const SILENCE_ALLOWED_MS = 5_000;
const OPENING_ALLOWED_MS = 15_000;

/** What may have happened since the last look is unknown, so a longer gap counts no more than this. */
const LONGEST_GAP_COUNTED_MS = 2_000;

/** `position`: how far the sound has come. `silentMs`: for how long it has stood still while we looked. */
export type Listening = { at: number; position: number; silentMs: number; heard: boolean };

/** @param at milliseconds of a clock that never goes back */
export function listeningFrom(at: number): Listening {
  return { at, position: 0, silentMs: 0, heard: false };
}

/**
 * One more look at the sound. Timers of hidden pages and sleeping machines come late: only looks that found it standing
 * still count, so that one late look never condemns a stream that played on.
 */
export function listenAgain(before: Listening, at: number, position: number): Listening {
  if (position !== before.position) return { at, position, silentMs: 0, heard: true };
  const gapMs = Math.min(at - before.at, LONGEST_GAP_COUNTED_MS);
  return { ...before, at, silentMs: before.silentMs + gapMs };
}

/** Whether the connection is to be given up: a stream can fall silent without any event. Opening one may take longer. */
export function isTooSilent({ silentMs, heard }: Listening): boolean {
  return silentMs >= (heard ? SILENCE_ALLOWED_MS : OPENING_ALLOWED_MS);
}
