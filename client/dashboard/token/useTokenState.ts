import { useEffect, useMemo } from 'react';
import type { Page, PageState } from '../createPage.ts';
import { type TokenState, tokenState } from '../machine/tokenState.ts';
import { useEverySecond } from './useEverySecond.ts';

/**
 * Renders at each new second, and tells the page when the token has expired by a clock that was set. The end of a
 * session clears the stored token, but not the player's, which opens connections as before.
 */
export function useTokenState(
  page: Page,
  { stored, player, expiredAt }: PageState,
): { token: TokenState; second: number } {
  const shown = stored ?? player.token;
  const second = useEverySecond(shown?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(shown, second, expiredAt), [shown, second, expiredAt]);

  const isExpired = token.kind === 'expired';
  useEffect(() => {
    if (isExpired) page.checkClock();
  }, [page, isExpired]);

  return { token, second };
}
