const FIRST_DELAY_MS = 1_000;
const SPREAD = 1 / 3;

/**
 * Doubles the wait with each failure, up to `longestMs`. `random` (0 to 1) makes it up to a third longer or shorter, so
 * that pages that failed at the same time do not all retry at the same time.
 */
export function backoffMs(failures: number, longestMs: number, random = Math.random()): number {
  const middleMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), longestMs / (1 + SPREAD));
  return middleMs * (1 + SPREAD * (2 * random - 1));
}
