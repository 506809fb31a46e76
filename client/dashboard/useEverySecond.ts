import { useCallback, useSyncExternalStore } from 'react';
import { SECOND_MS } from '../../shared/durations.ts';

/**
 * Returns the start of the current second in epoch milliseconds, and so renders every second; with `select`, what it makes
 * of it, and renders when that changes. Seconds start in step with `instant`, so that a countdown to it changes on time.
 */
export function useEverySecond(instant: number): number;
export function useEverySecond<Part extends string>(instant: number, select: (second: number) => Part): Part;
export function useEverySecond(instant: number, select = (second: number): number | string => second) {
  const subscribe = useCallback(
    (onTick: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tick = () => {
        clearTimeout(timer);
        const now = Date.now();
        timer = setTimeout(tick, startOfSecond(now, instant) + SECOND_MS - now);
        onTick();
      };
      tick();
      document.addEventListener('visibilitychange', tick);
      return () => {
        clearTimeout(timer);
        document.removeEventListener('visibilitychange', tick);
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
