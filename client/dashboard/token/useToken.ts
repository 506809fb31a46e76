import { useCallback, useEffect, useMemo } from 'react';
import {
  localRecords,
  type StoredToken,
  useStoredToken,
  useTokenExpiredAt,
} from '../../session/localRecords.ts';
import type { PlayerState } from '../player/playerState.ts';
import { ranOut, type TokenState, tokenState } from './tokenState.ts';
import { type Urgency, urgencyOf } from './urgency.ts';
import { useEverySecond } from './useEverySecond.ts';

/** The stored token without the time it has left. `expiresAt` is in epoch milliseconds; `old` as in `TokenState`. */
export type Token = { kind: 'none' } | ({ kind: 'active' } & StoredToken) | { kind: 'expired'; old: boolean };

export function useToken(): Token {
  const { stored, stateAt } = useStateAt();
  const kind = useEverySecond(stored?.expiresAt ?? 0, (second) => {
    const state = stateAt(second);
    return state.kind === 'expired' && state.old ? 'old' : state.kind;
  });

  const expired = kind === 'expired' ? stored : null;
  useEffect(() => {
    if (expired && ranOut(expired, Date.now())) localRecords.markTokenExpired(expired);
  }, [expired]);

  if (stored && kind === 'active') return { kind, ...stored };
  return kind === 'expired' || kind === 'old' ? { kind: 'expired', old: kind === 'old' } : { kind: 'none' };
}

export function useTokenState(): TokenState {
  const { stored, stateAt } = useStateAt();
  const second = useEverySecond(stored?.expiresAt ?? 0, (second) => second);
  return useMemo(() => stateAt(second), [stateAt, second]);
}

export function useUrgency(player: PlayerState): Urgency {
  const { stored, stateAt } = useStateAt();
  return useEverySecond(stored?.expiresAt ?? 0, (second) => urgencyOf(stateAt(second), player));
}

function useStateAt() {
  const stored = useStoredToken();
  const expiredAt = useTokenExpiredAt();
  const stateAt = useCallback((now: number) => tokenState(stored, now, expiredAt), [stored, expiredAt]);
  return { stored, stateAt };
}
