import { useEffect, useMemo } from 'react';
import { type TokenState, tokenState } from '../../page/tokenState.ts';
import type { DashboardState, DashboardStore } from '../store/dashboardStore.ts';
import { useEverySecond } from './useEverySecond.ts';

/**
 * Renders every second. Tells the store when the token has expired, even if only because the clock was changed.
 */
export function useTokenState(
  store: DashboardStore,
  { token: shown }: DashboardState,
): { token: TokenState; second: number } {
  const second = useEverySecond(shown?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(shown, second), [shown, second]);

  const isExpired = token.kind === 'expired';
  useEffect(() => {
    if (isExpired) store.checkClock();
  }, [store, isExpired]);

  return { token, second };
}
