import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import { msUntilNextText } from './countdown.ts';
import { secondUnderWay, tokenState } from './tokenState.ts';

/** The stored token as it is now, second by second; `expiresAt` is that of an active one. */
export function useToken() {
  const stored = useStoredToken();

  const subscribe = useCallback(
    (onChange: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tick = () => {
        clearTimeout(timer);
        const waitMs = msUntilNextText(tokenState(stored, Date.now()));
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
    [stored],
  );

  const second = useSyncExternalStore(subscribe, () => secondUnderWay(stored, Date.now()));
  const state = useMemo(() => tokenState(stored, second), [stored, second]);

  useEffect(() => {
    if (state.kind === 'expired') localRecords.markTokenExpired(Date.now());
  }, [state.kind]);

  return { token: state, expiresAt: state.kind === 'active' && stored ? stored.expiresAt : null };
}
