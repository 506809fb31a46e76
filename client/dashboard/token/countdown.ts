import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import { outlivesToken, type PlayerState } from '../player/playerState.ts';
import type { TokenState } from './tokenState.ts';

const SECOND_MS = 1_000;
const LAST_MINUTES_MS = 2 * 60 * SECOND_MS;
const OVER = '00:00';

/**
 * Returns the time left as minutes : seconds. The current second counts as gone, so that a token just made reads
 * `19 : 59` (specification, section 4).
 */
export function countdownText(state: TokenState): string {
  if (state.kind !== 'active') return OVER;
  const wholeSeconds = Math.ceil(state.remainingMs / SECOND_MS) - 1;
  return `${twoDigits(Math.floor(wholeSeconds / 60))} : ${twoDigits(wholeSeconds % 60)}`;
}

/** Returns how much of a token's 20 minutes is left, from 1 down to 0. */
export function shareLeft(state: TokenState): number {
  return state.kind === 'active' ? state.remainingMs / TOKEN_LIFETIME_MS : 0;
}

export type Tone = 'none' | 'calm' | 'last' | 'refused' | 'expired' | 'old' | 'outlived';

/**
 * Returns how urgent the time left is: calm until the last two minutes. The expiry is no alarm if it is old, or `outlived`: sound plays
 * over an open connection, which needs no token. A token that the provider refuses is worth nothing, however much time is left.
 */
export function toneOf(state: TokenState, player: PlayerState): Tone {
  if (state.kind === 'none') return 'none';
  if (state.kind === 'expired') {
    if (outlivesToken(player)) return 'outlived';
    return state.old ? 'old' : 'expired';
  }
  if (player.kind === 'refused') return 'refused';
  return state.remainingMs > LAST_MINUTES_MS ? 'calm' : 'last';
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
