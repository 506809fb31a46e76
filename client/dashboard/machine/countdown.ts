import { SECOND_MS } from '../../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import type { TokenState } from './tokenState.ts';

type Countdown = { minutes: string; colon: string; seconds: string };

const OVER: Countdown = { minutes: '00', colon: ':', seconds: '00' };

/** The current second counts as over, so that a new token reads `19 : 59` (specification, section 4). */
export function countdown(state: TokenState): Countdown {
  if (state.kind !== 'active') return OVER;
  const wholeSeconds = Math.ceil(state.remainingMs / SECOND_MS) - 1;
  return {
    minutes: twoDigits(Math.floor(wholeSeconds / 60)),
    colon: ' : ',
    seconds: twoDigits(wholeSeconds % 60),
  };
}

export function countdownText(state: TokenState): string {
  const { minutes, colon, seconds } = countdown(state);
  return minutes + colon + seconds;
}

export function shareLeft(state: TokenState): number {
  return state.kind === 'active' ? state.remainingMs / TOKEN_LIFETIME_MS : 0;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
