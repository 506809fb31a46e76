import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { localRecords, useStoredToken } from '../localRecords.ts';
import { countdownText, msUntilNextText } from './countdown.ts';
import { tokenState } from './tokenState.ts';

/** The stored token as it is now, second by second; `token` and `expiresAt` are those of an active one. */
export function useToken() {
  const stored = useStoredToken();
  const current = useCallback(() => tokenState(stored, Date.now()), [stored]);

  const subscribe = useCallback(
    (onChange: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tick = () => {
        clearTimeout(timer);
        const waitMs = msUntilNextText(current());
        if (waitMs !== null) timer = setTimeout(tick, waitMs);
        onChange();
      };
      tick();
      document.addEventListener('visibilitychange', tick);
      return () => {
        clearTimeout(timer);
        document.removeEventListener('visibilitychange', tick);
      };
    },
    [current],
  );

  const kind = useSyncExternalStore(subscribe, () => current().kind);
  const countdown = useSyncExternalStore(subscribe, () => countdownText(current()));

  useEffect(() => {
    if (kind === 'expired') localRecords.markTokenExpired(Date.now());
  }, [kind]);

  const active = kind === 'active' ? stored : null;
  return { kind, countdown, token: active?.token ?? null, expiresAt: active?.expiresAt ?? null };
}
