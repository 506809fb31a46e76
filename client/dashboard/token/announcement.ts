import { MINUTE_MS } from '../../../shared/durations.ts';
import type { TokenState } from '../../page/tokenState.ts';
import { texts } from '../../texts.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { LAST_MINUTES } from '../view.ts';

const ANNOUNCED_MINUTES = [5, LAST_MINUTES];

/**
 * Returns what screen readers announce: the creation, five minutes left, the last two minutes and the expiry. Returns
 * null to keep the last announcement, `''` to remove it.
 * @param before - null when the page just opened
 * @param known - the last active token: one that a corrected clock makes active again was not just created
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
