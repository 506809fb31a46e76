import { useCallback, useSyncExternalStore } from 'react';
import { SECOND_MS } from '../../shared/durations.ts';

/**
 * Returns the start of the current second in epoch milliseconds, and so renders every second; with `select`, what it
 * makes of it, and renders when that changes. Seconds start in step with `instant`, so that a countdown to it changes
 * on time.
 */
export function useEverySecond(instant: number): number;
export function useEverySecond<Part extends string>(instant: number, select: (second: number) => Part): Part;
export function useEverySecond(instant: number, select = (second: number): number | string => second) {
  const subscribe = useCallback(
    (onSecond: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const next = () => {
        clearTimeout(timer);
        const now = Date.now();
        timer = setTimeout(next, startOfSecond(now, instant) + SECOND_MS - now);
        onSecond();
      };
      next();
      document.addEventListener('visibilitychange', next);
      return () => {
        clearTimeout(timer);
        document.removeEventListener('visibilitychange', next);
      };
    },
    [instant],
  );

  return useSyncExternalStore(subscribe, () => select(startOfSecond(Date.now(), instant)));
}

export function startOfSecond(now: number, instant: number): number {
  const fromInstantMs = now - instant;
  return instant + Math.floor(fromInstantMs / SECOND_MS) * SECOND_MS;
}
