import { texts } from '../../texts.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import type { TokenState } from './tokenState.ts';

const MINUTE_MS = 60_000;
/** The minutes left that are told to whoever does not see the countdown. */
const TOLD_MINUTES = [5, 1];

/**
 * What is said of a token's time, so that nobody hears it counted second by second: that it was made, that five minutes
 * are left, one, and that it ran out. `before` is what there was a moment ago; null when the page just opened. Answers null when
 * what was said last still holds, and nothing, `''`, when it does not.
 */
export function announcement(before: TokenState | null, now: TokenState): string | null {
  if (!before) return null;
  if (now.kind === 'none') return before.kind === 'none' ? null : '';
  if (now.kind === 'expired') return before.kind === 'active' ? dashboardTexts.announced.expired : null;
  const left = dashboardTexts.announced.left(texts.minutes(Math.ceil(now.remainingMs / MINUTE_MS)));
  if (before.kind !== 'active' || before.token !== now.token)
    return `${dashboardTexts.announced.made} ${left}`;
  return stage(before.remainingMs) === stage(now.remainingMs) ? null : left;
}

/** How many of the told minutes are reached. */
function stage(remainingMs: number): number {
  return TOLD_MINUTES.filter((minutes) => remainingMs <= minutes * MINUTE_MS).length;
}
