import { shallowEqual } from './isSame.ts';
import type { Common, Dashboard, PageState, SignedIn, SignedOut } from './pageState.ts';
import { isTicked } from './pageState.ts';
import { playedLast } from './recordsToWrite.ts';

/** The part of the page's state that components read. The rest is for rules and requests. */
export type Shown = ShownAlways & (ShownSignedOut | ShownSignedIn);

type ShownAlways = Pick<Common, 'isOutdated'> & {
  /** Another one for each screen that opens. */
  screenNumber: number;
  /** This page was the last of all tabs to play. */
  playedLast: boolean;
};

type ShownSignedOut = Pick<SignedOut, 'kind' | 'end' | 'cutSound'>;

export type ShownSignedIn = Pick<SignedIn, 'kind' | 'account' | 'ended'> &
  Pick<Common, 'trouble'> & { isTicked: boolean; dashboard: ShownDashboard };

type ShownDashboard = Pick<
  Dashboard,
  'token' | 'earlier' | 'streamBase' | 'creation' | 'outcome' | 'cut' | 'player'
> & {
  /** The stream's address is not known, nor about to be. */
  lacksAddress: boolean;
};

/** @param before - is returned while nothing that is shown has changed */
export function shownOf(state: PageState, before: Shown | null = null): Shown {
  const { isOutdated } = state;
  const always = { isOutdated, playedLast: playedLast(state) };
  if (state.kind === 'signedOut') {
    const { kind, end, cutSound, sessionNumber } = state;
    return unlessEqual(before, { ...always, screenNumber: sessionNumber, kind, end, cutSound });
  }
  const { kind, account, ended, trouble } = state;
  const dashboard = unlessEqual(before?.kind === 'signedIn' ? before.dashboard : null, dashboardOf(state));
  const screenNumber = state.dashboard.number;
  return unlessEqual(before, {
    ...always,
    screenNumber,
    kind,
    account,
    ended,
    trouble,
    dashboard,
    isTicked: isTicked(state, account),
  });
}

function dashboardOf({ dashboard, trouble }: Common & SignedIn): ShownDashboard {
  const { token, earlier, streamBase, creation, outcome, cut, player, questionNumber } = dashboard;
  const lacksAddress = streamBase === null && (trouble !== null || questionNumber === null);
  return { token, earlier, streamBase, creation, outcome, cut, player, lacksAddress };
}

function unlessEqual<Part extends object>(before: Part | null, now: Part): Part {
  return before !== null && shallowEqual(before, now) ? before : now;
}
