import { useEffect, useMemo } from 'react';
import { type TokenState, tokenState } from '../machine/tokenState.ts';
import type { DashboardState, DashboardStore } from '../store/dashboardStore.ts';
import { useEverySecond } from './useEverySecond.ts';

/**
 * Renders every second. Tells the store when the token has expired, even if only because the clock was changed. After
 * the session's end, which deletes the stored token, the player's is shown: it still opens connections.
 */
export function useTokenState(
  store: DashboardStore,
  { stored, player }: DashboardState,
): { token: TokenState; second: number } {
  const shown = stored ?? player.token;
  const second = useEverySecond(shown?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(shown, second), [shown, second]);

  const isExpired = token.kind === 'expired';
  useEffect(() => {
    if (isExpired) store.checkClock();
  }, [store, isExpired]);

  return { token, second };
}
