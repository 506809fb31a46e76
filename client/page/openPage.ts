import type { Dashboard, PageState } from './pageState.ts';
import { type Moment, NO_ATTEMPT } from './player/nextAttempt.ts';
import { PLAYER_AT_REST } from './player/playerState.ts';
import type { Account, Records } from './records.ts';
import { NO_LOCKS, withLocks, withSoundRecalled } from './soundPlace.ts';
import type { TabRecords } from './tabRecords.ts';
import { tokenOnOpening, withQuestion } from './token.ts';

export function openPage(
  id: string,
  account: Account,
  known: Records,
  tabKnown: TabRecords,
  now: Moment,
): PageState {
  return {
    id,
    known,
    tabKnown,
    ticked: known.ticked,
    lastPress: { button: null, at: Number.NEGATIVE_INFINITY },
    account,
    sessionEnded: known.account === null,
    hasEnded: known.account?.id !== account.id,
    dashboard: withLocks(openDashboard(account, known, tabKnown, now), id, now),
  };
}

function openDashboard(account: Account, known: Records, tabKnown: TabRecords, now: Moment): Dashboard {
  const dashboard: Dashboard = {
    ...tokenOnOpening(known, now),
    earlier: [],
    streamBase: null,
    question: null,
    creation: null,
    unasked: NO_ATTEMPT,
    outcome: null,
    recalledFrom: null,
    locks: NO_LOCKS,
    player: PLAYER_AT_REST,
    lastNumber: 0,
  };
  return withQuestion(withSoundRecalled(dashboard, account.id, tabKnown, now));
}
