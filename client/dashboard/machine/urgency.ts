import { MINUTE_MS } from '../../../shared/durations.ts';
import type { TokenState } from './tokenState.ts';

export const LAST_MINUTES = 2;

/**
 * `old` and `outlived` do not alarm: the token expired long ago, or sound plays on over its open connection. `refused`:
 * the provider does not accept the token, however much time is left.
 */
export type Urgency = 'none' | 'calm' | 'last' | 'refused' | 'expired' | 'old' | 'outlived';

export function urgencyOf(state: TokenState, player?: { outlivesToken: boolean; status: string }): Urgency {
  if (state.kind === 'none') return 'none';
  if (state.kind === 'expired') {
    if (player?.outlivesToken) return 'outlived';
    return state.old ? 'old' : 'expired';
  }
  if (player?.status === 'refused') return 'refused';
  return state.remainingMs > LAST_MINUTES * MINUTE_MS ? 'calm' : 'last';
}
