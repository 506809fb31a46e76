import { useEffect, useMemo } from 'react';
import type { Page, PageState } from '../createPage.ts';
import { type TokenState, tokenState } from '../machine/tokenState.ts';
import { useEverySecond } from './useEverySecond.ts';

/**
 * Renders every second. Tells the page when the token has expired, even if only because the clock was changed. After
 * the session's end, which deletes the stored token, the player's is shown: it still opens connections.
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
