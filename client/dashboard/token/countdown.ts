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

export type Tone = 'none' | 'calm' | 'last' | 'expired' | 'outlived';

/**
 * Returns how urgent the time left is: calm until the last two minutes. `outlived` means that sound plays over an open connection,
 * which needs no token, so that the expiry is no alarm.
 */
export function toneOf(state: TokenState, outlived: boolean): Tone {
  if (state.kind === 'expired' && outlived) return 'outlived';
  if (state.kind !== 'active') return state.kind;
  return state.remainingMs > LAST_MINUTES_MS ? 'calm' : 'last';
}

/** Returns whether the partner should create a token next; the button is then the filled one. */
export function creationIsNext(tone: Tone, player: PlayerState): boolean {
  return player.kind === 'refused' || (tone !== 'calm' && !outlivesToken(player));
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
