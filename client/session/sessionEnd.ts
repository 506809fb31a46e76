import { makeVar } from '@apollo/client';
import { type Account, localRecords } from './localRecords.ts';
import { STORAGE_KEYS } from './storage.ts';

export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

export const sessionEnd = makeVar<SessionEnd | undefined>(undefined);

/** False between a sign-in and the first answer that shows that the browser sends the session's cookie. */
export const cookieConfirmed = makeVar(true);

/** The account whose sound is on air in this tab. Its dashboard outlives the session until the sound ends. */
export const soundOnAir = makeVar<Account | null>(null);

/** The session's end ended sound that was on air, which the login screen tells. */
export const soundCut = makeVar(false);

/**
 * Calls `onSignOut` whenever another tab signs out. To be called while the page loads, before any other listener to the
 * storage is added: browsers may change all values before they dispatch the first event, and a listener that then finds
 * no account leaves the dashboard for another reason.
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
