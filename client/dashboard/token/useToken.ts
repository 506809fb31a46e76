import { useEffect, useMemo } from 'react';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import { tokenState } from './tokenState.ts';
import { useSecond } from './useSecond.ts';

/** Returns the stored token's state, renewed every second, and an active token's expiry in epoch milliseconds. */
export function useToken() {
  const stored = useStoredToken();
  const second = useSecond(stored?.expiresAt ?? 0);
  const token = useMemo(() => tokenState(stored, second), [stored, second]);

  const expired = token.kind === 'expired' ? stored : null;
  useEffect(() => {
    if (expired) localRecords.markTokenExpired(expired);
  }, [expired]);

  return { token, expiresAt: token.kind === 'active' ? second + token.remainingMs : null };
}
