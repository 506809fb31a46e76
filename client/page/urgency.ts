import { MINUTE_MS } from '../../shared/durations.ts';
import type { TokenState } from './tokenState.ts';

export const LAST_MINUTES = 2;

/**
 * `outlived` does not alarm: sound plays on over its open connection. `refused`: the provider does not accept the token,
 * however much time is left.
 */
export type Urgency = 'none' | 'calm' | 'last' | 'refused' | 'expired' | 'outlived';

export function urgencyOf(state: TokenState, player?: { outlivesToken: boolean; status: string }): Urgency {
  if (state.kind === 'none') return 'none';
  if (state.kind === 'expired') return player?.outlivesToken ? 'outlived' : 'expired';
  if (player?.status === 'refused') return 'refused';
  return state.remainingMs > LAST_MINUTES * MINUTE_MS ? 'calm' : 'last';
}
