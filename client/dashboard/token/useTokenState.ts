import { useEffect, useMemo } from 'react';
import type { Page, PageState } from '../createPage.ts';
import { type TokenState, tokenState } from '../machine/tokenState.ts';
import { useEverySecond } from './useEverySecond.ts';

/** Renders at each new second, and tells the page when the token has expired by a clock that was set. */
export function useTokenState(
  page: Page,
  { stored, expiredAt }: PageState,
): { token: TokenState; second: number } {
  const second = useEverySecond(stored?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(stored, second, expiredAt), [stored, second, expiredAt]);

  const isExpired = token.kind === 'expired';
  useEffect(() => {
    if (isExpired) page.act();
  }, [page, isExpired]);

  return { token, second };
}
