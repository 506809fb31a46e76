import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import type { TokenState } from './tokenState.ts';

const SECOND_MS = 1_000;
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

export function shareLeft(state: TokenState): number {
  return state.kind === 'active' ? state.remainingMs / TOKEN_LIFETIME_MS : 0;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
