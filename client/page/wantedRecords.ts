import type { PageState } from './pageState.ts';
import { hasSound } from './player/playerState.ts';
import type { Records } from './records.ts';
import type { TabRecords } from './tabRecords.ts';

/** What should be on record. Only what differs from what is known to be there is written. */
export function wantedRecords(state: PageState): Records {
  const { id, known, ticked, account, sessionEnded, hasEnded } = state;
  const { token, believedAt, player } = state.dashboard;
  const soundIn =
    hasSound(player) || playedLast(state) ? { page: id, isWanted: hasSound(player) } : known.soundIn;
  if (sessionEnded || hasEnded) return { ...known, ticked, soundIn };
  // Nothing is written over a record that another tab is writing.
  const isTorn = believedAt !== null;
  const tokenRecord =
    isTorn || token === null ? { token: known.token, seal: known.seal } : { token, seal: 'fits' as const };
  return { account, ...tokenRecord, ticked, soundIn };
}

export function wantedTabRecords({ id, account, tabKnown, dashboard }: PageState): TabRecords {
  if (dashboard.player.wanted) return { soundWanted: { account: account.id, page: id } };
  return dashboard.recalledFrom === null ? { soundWanted: null } : tabKnown;
}

/** Of all pages, this one was the last to play. */
export function playedLast({ id, known }: PageState): boolean {
  return known.soundIn?.page === id;
}
