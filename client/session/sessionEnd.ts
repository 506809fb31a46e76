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

/**
 * Raised whenever the session may be a new one: at a sign-in here, and when another tab signs out or writes the account.
 * A refusal of a request that was sent at an earlier number says nothing about the session.
 */
export const sessionEpoch = { number: 0 };

/** Counts the dashboards that ended because another tab signed out and in again. */
export const dashboardsReplaced = makeVar(0);

/** The account whose sound is on air in this tab. Its dashboard outlasts the session, until the sound ends. */
export const soundOnAir = makeVar<Account | null>(null);

export function forgetLastSession(): void {
  lastSession.end = undefined;
  lastSession.cutSound = false;
}

/**
 * Calls `onSignOut` whenever another tab signs out, and replaces the dashboard if that tab signed in again. Call it while
 * the page loads, before any other storage listener is added: a browser may change all values before the first event. A
 * listener that ran earlier would find no account, and leave the dashboard with the wrong reason.
 */
export function followOtherTabs(onSignOut: () => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (newValue === null) return;
    if (key === STORAGE_KEYS.logoutPending || key === STORAGE_KEYS.account) sessionEpoch.number += 1;
    if (key === STORAGE_KEYS.logoutPending) {
      lastSession.end = 'SIGNED_OUT_ELSEWHERE';
      lastSession.cutSound = soundOnAir() !== null;
      onSignOut();
      soundOnAir(null);
    } else if (key === STORAGE_KEYS.account && lastSession.end === 'SIGNED_OUT_ELSEWHERE') {
      // A tab that was frozen never sees the account gone, so nothing else replaces its dashboard.
      forgetLastSession();
      dashboardsReplaced(dashboardsReplaced() + 1);
    }
  });
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  // Without an account the login screen is shown, and what was refused is its request to sign out.
  if (localRecords.account() !== null)
    lastSession.end = code === 'UNAUTHENTICATED' && !sessionCookie.isConfirmed ? 'COOKIES_BLOCKED' : code;
  // Even without an account: this also notifies a dashboard whose record the browser deleted without an event.
  localRecords.clear();
}
