import { useEffect, useMemo } from 'react';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import { ranOut, type TokenState, tokenState } from './tokenState.ts';
import { useSecond } from './useSecond.ts';

/** The stored token without the time it has left. `expiresAt` is in epoch milliseconds. */
export type Token =
  | { kind: 'none' }
  | { kind: 'active'; token: string; expiresAt: number }
  | { kind: 'expired' };

/** Returns the stored token; renders again when it is replaced or expires, but not at each second. */
export function useToken(): Token {
  const stored = useStoredToken();
  const kind = useSecond(stored?.expiresAt ?? 0, (second) => tokenState(stored, second).kind);

  const expired = kind === 'expired' ? stored : null;
  useEffect(() => {
    if (expired && ranOut(expired, Date.now())) localRecords.markTokenExpired(expired);
  }, [expired]);

  if (stored && kind === 'active') return { kind, ...stored };
  return { kind: kind === 'expired' ? 'expired' : 'none' };
}

/** Returns the stored token's state with the time it has left; renders again at each second. */
export function useTokenState(): TokenState {
  const stored = useStoredToken();
  const second = useSecond(stored?.expiresAt ?? 0, (second) => second);
  return useMemo(() => tokenState(stored, second), [stored, second]);
}
