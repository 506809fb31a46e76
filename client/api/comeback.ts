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
