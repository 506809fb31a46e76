const FIRST_DELAY_MS = 1_000;

export function backoffMs(attempt: number, longestMs: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), longestMs);
}

/**
 * Calls `retry` when the network is back, and when the page is shown again, since a phone may have frozen its timers while it was
 * hidden. Returns a cleanup function.
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

/**
 * Resolves after the wait, or sooner at a comeback.
 * @param leastMs - the minimum wait, for example one that the server asked for
 */
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
