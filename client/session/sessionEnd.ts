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
 * While the dashboard is shown, the reason is UNAUTHENTICATED by default; any other way of ending sets its own. Calls
 * `onSignOut` if another tab signs out. Returns a cleanup function.
 */
export function followSignOutElsewhere(onSignOut: () => void): () => void {
  sessionEnd('UNAUTHENTICATED');
  function follow({ key, newValue }: StorageEvent): void {
    if (key !== STORAGE_KEYS.logoutPending || newValue === null) return;
    sessionEnd('SIGNED_OUT_ELSEWHERE');
    soundCut(soundOnAir() !== null);
    onSignOut();
    soundOnAir(null);
  }
  window.addEventListener('storage', follow);
  return () => window.removeEventListener('storage', follow);
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  if (localRecords.account() === null) return;
  sessionEnd(code === 'UNAUTHENTICATED' && !cookieConfirmed() ? 'COOKIES_BLOCKED' : code);
  localRecords.clear();
}
