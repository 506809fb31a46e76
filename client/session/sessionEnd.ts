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
export function followSignOutElsewhere(onSignOut: () => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== STORAGE_KEYS.logoutPending || newValue === null) return;
    lastSession.end = 'SIGNED_OUT_ELSEWHERE';
    lastSession.cutSound = soundOnAir() !== null;
    onSignOut();
    soundOnAir(null);
  });
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  if (localRecords.account() === null) return;
  lastSession.end = code === 'UNAUTHENTICATED' && !sessionCookie.isConfirmed ? 'COOKIES_BLOCKED' : code;
  localRecords.clear();
}
