import { texts } from '../../texts.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import type { TokenState } from './tokenState.ts';
import { LAST_MINUTES, MINUTE_MS } from './urgency.ts';

const ANNOUNCED_MINUTES = [5, LAST_MINUTES];

/**
 * Returns what screen readers announce when the token's state changes from `before` (null when the page just opened): the creation,
 * five minutes left, the last two minutes and the expiry, not each second. `known` is the last active token: setting the clock may make
 * it active again, which is not a creation. Returns null to keep the last announcement, `''` to remove it.
 */
export function announcement(
  before: TokenState | null,
  now: TokenState,
  known: string | null,
): string | null {
  if (!before) return null;
  if (now.kind === 'none') return before.kind === 'none' ? null : '';
  if (now.kind === 'expired') return before.kind === 'active' ? dashboardTexts.announced.expired : null;
  const left = dashboardTexts.announced.left(texts.minutes(Math.ceil(now.remainingMs / MINUTE_MS)));
  if (now.token !== known) return `${dashboardTexts.announced.made} ${left}`;
  if (before.kind !== 'active') return left;
  return stage(before.remainingMs) === stage(now.remainingMs) ? null : left;
}

function stage(remainingMs: number): number {
  return ANNOUNCED_MINUTES.filter((minutes) => remainingMs <= minutes * MINUTE_MS).length;
}
