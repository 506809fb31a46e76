import { useEffect, useMemo } from 'react';
import { localRecords, useStoredToken, useTokenExpiredAt } from '../../session/localRecords.ts';
import { ranOut, type TokenState, tokenState } from './tokenState.ts';
import { useEverySecond } from './useEverySecond.ts';

/** Renders at each new second, and resets the stored expiry of a token that has just expired. */
export function useTokenState(): { token: TokenState; second: number } {
  const stored = useStoredToken();
  const expiredAt = useTokenExpiredAt();
  const second = useEverySecond(stored?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(stored, second, expiredAt), [stored, second, expiredAt]);

  const expired = token.kind === 'expired' ? stored : null;
  useEffect(() => {
    if (expired && ranOut(expired, Date.now())) localRecords.markTokenExpired(expired);
  }, [expired]);

  return { token, second };
}
