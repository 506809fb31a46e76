import { useEffect, useMemo } from 'react';
import type { StoredToken } from '../../page/records.ts';
import { type TokenState, tokenState } from '../../page/tokenState.ts';
import { usePage } from '../../usePage.ts';
import { useEverySecond } from './useEverySecond.ts';

/** Renders every second. Tells the page when the token has expired, even if only because the clock was changed. */
export function useTokenState(stored: StoredToken | null): { token: TokenState; second: number } {
  const page = usePage();
  const second = useEverySecond(stored?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(stored, second), [stored, second]);

  const isExpired = token.kind === 'expired';
  useEffect(() => {
    if (isExpired) page.send({ type: 'timePassed' });
  }, [page, isExpired]);

  return { token, second };
}
