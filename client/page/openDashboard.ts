import type { SessionEnd } from './failure.ts';
import type { Dashboard } from './pageState.ts';
import { type Moment, NO_ATTEMPT } from './player/nextAttempt.ts';
import { PLAYER_AT_REST } from './player/playerState.ts';
import type { Account, Records } from './records.ts';
import { NO_LOCKS, withSoundRemembered } from './soundPlace.ts';
import type { TabRecords } from './tabRecords.ts';
import { baseOnOpening, earlierOnOpening, tokenOnOpening, withQuestion } from './token.ts';

/**
 * @param cut - why the sound before this dashboard ended
 */
export function openDashboard(
  account: Account,
  known: Pick<Records, 'token' | 'seal'>,
  tabKnown: TabRecords,
  cut: SessionEnd | null,
  now: Moment,
): Dashboard {
  const dashboard: Dashboard = {
    number: now.number,
    ...tokenOnOpening(known, now),
    earlier: earlierOnOpening(account, tabKnown, now),
    streamBase: baseOnOpening(account, tabKnown),
    questionNumber: null,
    creation: null,
    automatic: NO_ATTEMPT,
    outcome: null,
    cut,
    awaitedLock: null,
    locks: NO_LOCKS,
    player: PLAYER_AT_REST,
  };
  return withQuestion(
    cut === null ? withSoundRemembered(dashboard, account.id, tabKnown, now) : dashboard,
    now,
  );
}
