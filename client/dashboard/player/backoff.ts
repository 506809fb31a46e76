const FIRST_DELAY_MS = 1_000;

/** How long to wait before the given attempt, the first being 1: twice as long each time, up to `longestMs`. */
export function backoffMs(attempt: number, longestMs: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), longestMs);
}
