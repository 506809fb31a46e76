import { useState, useSyncExternalStore } from 'react';
import type { Failure } from '../page/failure.ts';

/** False does not mean that the browser is online. */
export function isOffline(): boolean {
  return !navigator.onLine;
}

export function useOffline(): boolean {
  return useSyncExternalStore(subscribe, isOffline);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}

export function useFailure() {
  const [failure, setFailure] = useState<Failure>();
  const offline = useOffline();
  return [failure?.code === 'NO_NETWORK' && !offline ? undefined : failure, setFailure] as const;
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
