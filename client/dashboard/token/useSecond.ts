import { useCallback, useSyncExternalStore } from 'react';

const SECOND_MS = 1_000;

/**
 * Returns the start of the current second in epoch milliseconds and renders again at each new one, also after the clock was set.
 * Seconds begin in step with `instant`, so that a countdown to it changes on time.
 */
export function useSecond(instant: number): number {
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

  return useSyncExternalStore(subscribe, () => startOfSecond(Date.now(), instant));
}

/** Returns the last moment up to `now` that is whole seconds away from `instant`, all in epoch milliseconds. */
export function startOfSecond(now: number, instant: number): number {
  const fromInstantMs = now - instant;
  return instant + Math.floor(fromInstantMs / SECOND_MS) * SECOND_MS;
}
