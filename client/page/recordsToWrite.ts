import type { PageState } from './pageState.ts';
import { hasSound } from './player/playerState.ts';
import type { Records } from './records.ts';
import { isRemembered } from './soundPlace.ts';
import { NO_TAB_RECORDS, type TabRecords } from './tabRecords.ts';

const SEALED = { seal: 'fits', foundChecksum: undefined } as const;

export function recordsToWrite(state: PageState): Records {
  const { known, signingOut, ticked } = state;
  const wanted = { ...known, signingOut, ticked, soundIn: wantedSoundIn(state) };
  // Deletes no token whose account is gone already: another tab may be writing its own.
  if (state.kind === 'signedOut' || state.ended !== null)
    return known.account === null ? wanted : { ...wanted, account: null, token: null, ...SEALED };
  const { account, dashboard } = state;
  const { token, pendingUntil } = dashboard;
  // Nothing is written over a record that another tab is writing.
  if (pendingUntil !== null || (token === null && known.account !== null)) return { ...wanted, account };
  return { ...wanted, account, token, ...SEALED };
}

/** Nothing is left of a session that has ended, except that its sound is wanted. */
export function tabRecordsToWrite({ id, tabKnown, ...state }: PageState): TabRecords {
  if (state.kind === 'signedOut')
    return state.cutOf === null
      ? NO_TAB_RECORDS
      : { ...NO_TAB_RECORDS, soundWanted: { account: state.cutOf, page: id } };
  const { account, ended, dashboard } = state;
  const { awaitedLock, earlier, token, pendingUntil, streamBase } = dashboard;
  const hasToken = ended === null && (token !== null || pendingUntil !== null);
  const kept = awaitedLock === null ? null : tabKnown.soundWanted;
  return {
    soundWanted: isRemembered(dashboard) ? { account: account.id, page: id } : kept,
    earlier: ended === null && earlier.length > 0 ? { account: account.id, tokens: earlier } : null,
    stream: hasToken && streamBase !== null ? { account: account.id, base: streamBase } : null,
  };
}

export function playedLast({ id, known }: PageState): boolean {
  return known.soundIn?.page === id;
}

function wantedSoundIn(state: PageState): Records['soundIn'] {
  const isWanted = state.kind === 'signedIn' && hasSound(state.dashboard.player);
  return isWanted || playedLast(state) ? { page: state.id, isWanted } : state.known.soundIn;
}
