import { SECOND_MS } from '../../shared/durations.ts';
import type { Dashboard, Locks } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import type { Records } from './records.ts';
import type { TabRecords } from './tabRecords.ts';
import { withPlayer } from './withPlayer.ts';

export const NO_LOCKS: Locks = { pages: [], releaseAt: null };

/** A copied tab asks for the lock for a second. If it got the lock, it would take this page for a closed one. */
const RELEASED_AFTER_MS = 2 * SECOND_MS;

/**
 * Sound that was wanted before a reload is wanted again in the dashboard that opens. A copied tab finds the same record,
 * so the page first asks for the lock of the page that wrote it.
 */
export function withSoundRemembered(
  dashboard: Dashboard,
  account: string,
  found: TabRecords,
  now: Moment,
): Dashboard {
  if (found.soundWanted?.account !== account) return dashboard;
  const { page } = found.soundWanted;
  if (page === null) return withReload(dashboard, now);
  return { ...dashboard, awaitedLock: page, locks: { pages: [page], releaseAt: null } };
}

export function afterLockAnswer(
  before: Dashboard,
  { page, isGranted }: { page: string; isGranted: boolean },
  known: Records,
  now: Moment,
): Dashboard {
  if (before.awaitedLock !== page) return before;
  const dashboard = { ...before, awaitedLock: null };
  const hasMoved = known.soundIn?.isWanted === true && known.soundIn.page !== page;
  return isGranted && !hasMoved ? withReload(dashboard, now) : dashboard;
}

/** Only the page that wrote the record last plays. */
export function withSoundRead(dashboard: Dashboard, soundIn: Records['soundIn'], now: Moment): Dashboard {
  if (soundIn === null) return dashboard;
  const { isWanted } = soundIn;
  const told = isWanted ? { ...dashboard, cut: null } : dashboard;
  return withPlayer(told, { type: 'otherTabChanged', isWanted }, now);
}

/** Whether a page that is loaded again in this tab has to find that sound was wanted. */
export function isRemembered({ player, cut }: Dashboard): boolean {
  return player.wanted || (cut !== null && cut !== 'OTHER_ACCOUNT');
}

/** Holds this page's lock while sound is wanted, which also keeps browsers from putting a hidden tab to sleep. */
export function withLocks(before: Dashboard, page: string, { monotonicMs }: Moment): Dashboard {
  const { locks } = before;
  if (isRemembered(before)) {
    const isHeld = locks.pages.includes(page);
    if (isHeld && locks.releaseAt === null) return before;
    const pages = isHeld ? locks.pages : [...locks.pages, page];
    return { ...before, awaitedLock: null, locks: { pages, releaseAt: null } };
  }
  if (before.awaitedLock !== null || locks.pages.length === 0) return before;
  if (locks.releaseAt === null)
    return { ...before, locks: { ...locks, releaseAt: monotonicMs + RELEASED_AFTER_MS } };
  return monotonicMs >= locks.releaseAt ? { ...before, locks: NO_LOCKS } : before;
}

function withReload(dashboard: Dashboard, now: Moment): Dashboard {
  return withPlayer(dashboard, { type: 'pageReloaded' }, now);
}
