import { makeVar } from '@apollo/client';
import { type Account, localRecords } from './localRecords.ts';
import { STORAGE_KEYS } from './storage.ts';

export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

/** How this tab's last session ended, which the login screen says when it opens. */
export const lastSession: {
  /** Unset after a sign-out here. */
  end: SessionEnd | undefined;
  cutSound: boolean;
} = { end: undefined, cutSound: false };

/** Not confirmed after a sign-in, until an answer shows that the browser sends the session's cookie. */
export const sessionCookie = { isConfirmed: true };

/** How many sign-ins this page knows of. A request from before the last one was made in an earlier session. */
export const signIns = { known: 0 };

/** Raised when another tab signed out and in again: the dashboard that this tab still shows has ended. */
export const dashboardsReplaced = makeVar(0);

/** The account whose sound is on air in this tab. Its dashboard outlasts the session, until the sound ends. */
export const soundOnAir = makeVar<Account | null>(null);

export function forgetLastSession(): void {
  lastSession.end = undefined;
  lastSession.cutSound = false;
}

/**
 * Calls `onSignOut` whenever another tab signs out. Call it while the page loads, before any other storage listener is
 * added: a browser may change all values before the first event. A listener that ran earlier would find no account, and
 * leave the dashboard with the wrong reason.
 */
export function followOtherTabs(onSignOut: () => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (newValue === null) return;
    if (key === STORAGE_KEYS.logoutPending) {
      lastSession.end = 'SIGNED_OUT_ELSEWHERE';
      lastSession.cutSound = soundOnAir() !== null;
      onSignOut();
      soundOnAir(null);
    } else if (key === STORAGE_KEYS.account) {
      signIns.known += 1;
      // A frozen tab gets the events of both later, and finds the same account before and after.
      if (lastSession.end !== 'SIGNED_OUT_ELSEWHERE') return;
      forgetLastSession();
      dashboardsReplaced(dashboardsReplaced() + 1);
    }
  });
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  // The login screen may be shown already, and its request to end the session be refused.
  if (localRecords.account() !== null)
    lastSession.end = code === 'UNAUTHENTICATED' && !sessionCookie.isConfirmed ? 'COOKIES_BLOCKED' : code;
  // Even without a record: the browser may have deleted it without an event, and this tells the dashboard.
  localRecords.clear();
}
