import { makeVar } from '@apollo/client';
import { type Account, localRecords } from './localRecords.ts';
import { STORAGE_KEYS } from './storage.ts';

export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

export const sessionEnd = makeVar<SessionEnd | undefined>(undefined);

/** False after a sign-in, until an answer shows that the browser sends the session's cookie. */
export const cookieConfirmed = makeVar(true);

/** The account whose sound is on air in this tab. Its dashboard outlasts the session, until the sound ends. */
export const soundOnAir = makeVar<Account | null>(null);

/** Whether sound was on air at the session's end: the login screen then says that it ended. */
export const soundCut = makeVar(false);

/**
 * Calls `onSignOut` whenever another tab signs out. Call it while the page loads, before any other storage listener is
 * added: a browser may change all values before the first event. A listener that ran earlier would find no account, and
 * leave the dashboard with the wrong reason.
 */
export function followSignOutElsewhere(onSignOut: () => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== STORAGE_KEYS.logoutPending || newValue === null) return;
    sessionEnd('SIGNED_OUT_ELSEWHERE');
    soundCut(soundOnAir() !== null);
    onSignOut();
    soundOnAir(null);
  });
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  if (localRecords.account() === null) return;
  sessionEnd(code === 'UNAUTHENTICATED' && !cookieConfirmed() ? 'COOKIES_BLOCKED' : code);
  localRecords.clear();
}
