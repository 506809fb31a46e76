import { DAY_MS } from '../../shared/durations.ts';
import { accountHeaderOf } from '../../shared/headers.ts';
import type { SessionEnd } from './failure.ts';
import { isSame, sameOr } from './isSame.ts';
import { openDashboard } from './openDashboard.ts';
import type { Common, Dashboard, PageState, SessionEvent, SignedIn, SignedOut } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import { isOnAir } from './player/playerState.ts';
import type { Account, Records } from './records.ts';
import type { TabRecords } from './tabRecords.ts';
import { withQuestion } from './token.ts';

/** As long as an unused session lasts on the server. */
const COOKIE_KEPT_MS = 14 * DAY_MS;

const NO_TOKEN = { token: null, seal: 'fits' } as const;

export function openPage(id: string, known: Records, tabKnown: TabRecords, now: Moment): PageState {
  const page: PageState = {
    id,
    known,
    tabKnown,
    sessionNumber: now.number,
    signingOut: known.signingOut,
    ticked: known.ticked,
    trouble: null,
    isOutdated: false,
    lastPress: { button: null, at: Number.NEGATIVE_INFINITY },
    kind: 'signedOut',
    ...endFound(known, tabKnown),
  };
  return known.account ? signedIn(page, known.account, known, now) : page;
}

/** The session may have ended while its sound played on, and this tab was loaded again since. */
function endFound(
  { account, signingOut, soundIn }: Records,
  { soundWanted }: TabRecords,
): Pick<SignedOut, 'end' | 'cutSound' | 'cutOf'> {
  const isPlayingInOriginal = soundIn?.isWanted === true && soundIn.page === soundWanted?.page;
  if (soundWanted === null || soundWanted.account === account?.id || isPlayingInOriginal)
    return { end: null, cutSound: false, cutOf: null };
  const end = signingOut === null ? 'UNAUTHENTICATED' : 'SIGNED_OUT_ELSEWHERE';
  return { end, cutSound: true, cutOf: soundWanted.account };
}

/**
 * Sessions begin and end in this file alone. The records were read just before the event. `sessionNumber`: an answer to a
 * request that was sent in an earlier session says nothing about this one.
 */
export function afterSessionEvent(state: PageState, event: SessionEvent, now: Moment): PageState {
  switch (event.type) {
    case 'signedIn': {
      const next: PageState = { ...state, signingOut: null };
      // Another tab may have signed in to the same account meanwhile.
      const isSameAccount = next.kind === 'signedIn' && next.account.id === event.account.id;
      return {
        ...(isSameAccount
          ? sessionBack(next, event.account, now)
          : signedIn(next, event.account, NO_TOKEN, now, true)),
        isCookieConfirmed: false,
        beganAt: now.monotonicMs,
      };
    }
    case 'signOutPressed': {
      if (state.kind === 'signedOut') return state;
      const { account, sessionId, ended } = state;
      const signingOut = { account: accountHeaderOf(account.id), session: sessionId };
      return signedOut(ended ? state : { ...state, signingOut }, null, false, now);
    }
    case 'signOutConfirmed':
      return isSame(event.sent, state.signingOut) ? { ...state, signingOut: null } : state;
    case 'otherTabSignedOut':
      if (state.kind === 'signedOut')
        return state.end === 'UNAUTHENTICATED' || state.end === 'COOKIES_DELETED'
          ? { ...state, end: 'SIGNED_OUT_ELSEWHERE' }
          : state;
      // The account is on record, so the other tab has signed in again.
      if (state.ended === null) return signedIn(state, state.account, state.known, now);
      return signedOut(state, 'SIGNED_OUT_ELSEWHERE', isOnAir(state.dashboard.player), now);
    case 'otherTabChangedAccount':
    case 'pageRestored':
      if (state.kind === 'signedOut') return state;
      return { ...state, sessionNumber: now.number, sessionId: null, isCookieConfirmed: true, beganAt: null };
    case 'sessionConfirmed':
      if (state.kind === 'signedOut' || event.sessionNumber !== state.sessionNumber) return state;
      return { ...state, isCookieConfirmed: true, sessionId: event.sessionId ?? state.sessionId };
    case 'sessionRefused':
      if (state.kind === 'signedOut' || event.sessionNumber !== state.sessionNumber) return state;
      return withEnd(state, endAfterRefusal(state, event, now));
  }
}

function endAfterRefusal(
  { isCookieConfirmed, beganAt }: SignedIn,
  { code, hasNoCookie = false }: Extract<SessionEvent, { type: 'sessionRefused' }>,
  { monotonicMs }: Moment,
): SessionEnd {
  if (code !== 'UNAUTHENTICATED') return code;
  if (!isCookieConfirmed) return 'COOKIES_BLOCKED';
  const isKept = beganAt !== null && monotonicMs - beganAt < COOKIE_KEPT_MS;
  return hasNoCookie && isKept ? 'COOKIES_DELETED' : code;
}

/** The id of the account whose session goes on; null after its end, even while its sound plays on. */
export function signedInId(state: PageState): string | null {
  return state.kind === 'signedIn' && state.ended === null ? state.account.id : null;
}

export function withAccountRead(state: PageState, { account, signingOut }: Records, now: Moment): PageState {
  if (account !== null) {
    if (state.kind === 'signedOut' || state.account.id !== account.id)
      return signedIn(state, account, state.known, now);
    return state.ended
      ? sessionBack(state, account, now)
      : { ...state, account: sameOr(state.account, account) };
  }
  if (state.kind === 'signedOut') return state;
  if (signingOut !== null)
    return signedOut(state, 'SIGNED_OUT_ELSEWHERE', isOnAir(state.dashboard.player), now);
  return withEnd(state, 'UNAUTHENTICATED');
}

/** A session that ended leaves its dashboard once the sound has ended too. */
export function withoutSilentEnd(state: PageState, before: PageState, now: Moment): PageState {
  if (state.kind === 'signedOut' || state.ended === null || isOnAir(state.dashboard.player)) return state;
  const wasOnAir = before.kind === 'signedIn' && before.ended !== null;
  return signedOut(state, state.ended, wasOnAir, now);
}

function signedIn(
  state: PageState,
  account: Account,
  token: Pick<Records, 'token' | 'seal'>,
  now: Moment,
  isHere = false,
): Common & SignedIn {
  const dashboard = openDashboard(account, token, state.tabKnown, cutBefore(state, account, isHere), now);
  return {
    ...common(state),
    sessionNumber: now.number,
    kind: 'signedIn',
    account,
    ended: null,
    isCookieConfirmed: true,
    beganAt: null,
    sessionId: null,
    dashboard,
  };
}

/**
 * Why the sound before the next dashboard ended, if that is to be told in it.
 * @param isHere - by the form of this page, whose reader has seen why the last account's sound ended
 */
function cutBefore(state: PageState, { id }: Account, isHere: boolean): SessionEnd | null {
  if (state.kind === 'signedIn') {
    const { player, cut } = state.dashboard;
    if (!player.wanted) return cut;
    return state.account.id === id ? 'SIGNED_OUT_ELSEWHERE' : 'OTHER_ACCOUNT';
  }
  if (state.cutOf === id) return state.end;
  return state.cutOf === null || isHere ? null : 'OTHER_ACCOUNT';
}

function sessionBack(state: Common & SignedIn, account: Account, now: Moment): Common & SignedIn {
  return {
    ...state,
    sessionNumber: now.number,
    account: sameOr(state.account, account),
    ended: null,
    isCookieConfirmed: true,
    beganAt: null,
    sessionId: null,
    dashboard: withSessionBack(state.dashboard, now),
  };
}

/** A creation that failed without a session can be tried again, and the address may be a new one. */
function withSessionBack(dashboard: Dashboard, now: Moment): Dashboard {
  const { outcome } = dashboard;
  return withQuestion({ ...dashboard, outcome: outcome?.kind === 'failed' ? null : outcome }, now);
}

function withEnd(state: Common & SignedIn, ended: SessionEnd): PageState {
  return state.ended === null
    ? { ...state, ended, dashboard: { ...state.dashboard, pendingUntil: null } }
    : state;
}

function signedOut(state: PageState, end: SessionEnd | null, cutSound: boolean, now: Moment): PageState {
  const isWanted =
    state.kind === 'signedIn' && (state.dashboard.player.wanted || state.dashboard.cut !== null);
  const cutOf = isWanted && end !== null ? state.account.id : null;
  return {
    ...common(state),
    sessionNumber: now.number,
    kind: 'signedOut',
    end,
    cutSound: cutSound || cutOf !== null,
    cutOf,
  };
}

function common({
  id,
  known,
  tabKnown,
  sessionNumber,
  signingOut,
  ticked,
  trouble,
  isOutdated,
  lastPress,
}: PageState): Common {
  return { id, known, tabKnown, sessionNumber, signingOut, ticked, trouble, isOutdated, lastPress };
}
