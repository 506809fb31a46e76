import { useEffect, useMemo } from 'react';
import type { Page } from '../../page/createPage.ts';
import type { StoredToken } from '../../page/records.ts';
import { type TokenState, tokenState } from '../../page/tokenState.ts';
import { useEverySecond } from './useEverySecond.ts';

/**
 * Renders every second. Tells the page when the token has expired, even if only because the clock was changed.
 */
export function useTokenState(
  page: Pick<Page, 'send'>,
  shown: StoredToken | null,
): { token: TokenState; second: number } {
  const second = useEverySecond(shown?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(shown, second), [shown, second]);

  const isExpired = token.kind === 'expired';
  useEffect(() => {
    if (isExpired) page.send({ type: 'timePassed' });
  }, [page, isExpired]);

  return { token, second };
}
