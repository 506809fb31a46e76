const FIRST_DELAY_MS = 1_000;
const SPREAD = 1 / 3;

/**
 * Doubles the wait with each failure, up to `longestMs`. `chance` (0 to 1) makes it up to a third longer or shorter, so
 * that pages that failed at the same time do not all retry at the same time.
 */
export function backoffMs(failures: number, longestMs: number, chance = Math.random()): number {
  const middleMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), longestMs / (1 + SPREAD));
  return middleMs * (1 + SPREAD * (2 * chance - 1));
}

/**
 * Calls `retry` when the network is back and when the page is shown again, since phones freeze the timers of hidden
 * pages. Returns a cleanup function.
 */
export function onComeback(retry: () => void): () => void {
  const onVisibility = () => document.visibilityState === 'visible' && retry();
  window.addEventListener('online', retry);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    window.removeEventListener('online', retry);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}

export async function waitOrComeback(waitMs: number, leastMs = 0): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, leastMs));
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    const stopListening = onComeback(done);
  });
}
