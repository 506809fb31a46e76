import type { TokenState } from './tokenState.ts';

const SECOND_MS = 1_000;
const OVER = '00:00';

/**
 * The time left as minutes : seconds. A second under way counts as gone, so that a token just made reads
 * `19 : 59` (specification, section 4).
 */
export function countdownText(state: TokenState): string {
  if (state.kind !== 'active') return OVER;
  const wholeSeconds = Math.ceil(state.remainingMs / SECOND_MS) - 1;
  return `${twoDigits(Math.floor(wholeSeconds / 60))} : ${twoDigits(wholeSeconds % 60)}`;
}

/** How long the countdown's text stays as it is, in milliseconds; null when it stays for good. */
export function msUntilNextText(state: TokenState): number | null {
  if (state.kind !== 'active') return null;
  return state.remainingMs % SECOND_MS || SECOND_MS;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
