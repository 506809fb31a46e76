import { useCallback, useEffect, useMemo } from 'react';
import {
  localRecords,
  type StoredToken,
  useStoredToken,
  useTokenExpiredAt,
} from '../../session/localRecords.ts';
import type { PlayerView } from '../player/playerView.ts';
import { ranOut, type TokenState, tokenState } from './tokenState.ts';
import { type Urgency, urgencyOf } from './urgency.ts';
import { useEverySecond } from './useEverySecond.ts';

/** `TokenState` without the time left, so that it does not change every second. */
export type CurrentToken =
  | { kind: 'none' }
  | ({ kind: 'active' } & StoredToken)
  | { kind: 'expired'; old: boolean };

export function useCurrentToken(): CurrentToken {
  const { stored, expiresAt, stateAt } = useStateAt();
  const kind = useEverySecond(expiresAt, (second) => {
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
  const { expiresAt, stateAt } = useStateAt();
  const second = useEverySecond(expiresAt, (second) => second);
  return useMemo(() => stateAt(second), [stateAt, second]);
}

export function useUrgency(player: PlayerView): Urgency {
  const { expiresAt, stateAt } = useStateAt();
  return useEverySecond(expiresAt, (second) => urgencyOf(stateAt(second), player));
}

function useStateAt() {
  const stored = useStoredToken();
  const expiredAt = useTokenExpiredAt();
  const stateAt = useCallback((now: number) => tokenState(stored, now, expiredAt), [stored, expiredAt]);
  return { stored, expiresAt: stored?.expiresAt ?? 0, stateAt };
}
