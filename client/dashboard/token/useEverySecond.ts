import { useCallback, useSyncExternalStore } from 'react';

const SECOND_MS = 1_000;

/**
 * Calls `read` at each new second with its start, in epoch milliseconds, and renders again only when the result
 * changes. Seconds begin in step with `instant`, so that a countdown to it changes on time.
 */
export function useEverySecond<Value extends number | string>(
  instant: number,
  read: (second: number) => Value,
): Value {
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

  return useSyncExternalStore(subscribe, () => read(startOfSecond(Date.now(), instant)));
}

export function startOfSecond(now: number, instant: number): number {
  const fromInstantMs = now - instant;
  return instant + Math.floor(fromInstantMs / SECOND_MS) * SECOND_MS;
}
