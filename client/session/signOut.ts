import { ACCOUNT_HEADER, accountHeaderOf, SESSION_HEADER } from '../../shared/headers.ts';
import { localRecords } from './localRecords.ts';
import { forgetLastSession, soundOnAir } from './sessionEnd.ts';
import { sessionId } from './sessionId.ts';
import { browserStorage, STORAGE_KEYS } from './storage.ts';

export function signOut(): void {
  forgetLastSession();
  soundOnAir(null);
  const account = localRecords.account();
  if (account) keepPending(accountHeaderOf(account.id), sessionId.current());
  localRecords.clear();
}

function keepPending(account: string, session: string | null): void {
  // Must be written first: otherwise another tab could find the account record gone, and leave the dashboard without
  // learning that somebody signed out. A tab that learns it sends the sign-out too.
  browserStorage.setItem(STORAGE_KEYS.logoutPending, account);
  if (session) browserStorage.setItem(STORAGE_KEYS.logoutSession, session);
  else browserStorage.removeItem(STORAGE_KEYS.logoutSession);
}

/** The sign-out that the server has not confirmed yet. Like the session's cookie it is kept when the page closes. */
export const pendingLogout = {
  exists: () => browserStorage.getItem(STORAGE_KEYS.logoutPending) !== null,

  /** With these headers the server ends no other session. */
  headers(): Record<string, string> {
    const account = browserStorage.getItem(STORAGE_KEYS.logoutPending);
    const session = browserStorage.getItem(STORAGE_KEYS.logoutSession);
    return {
      ...(account !== null && { [ACCOUNT_HEADER]: account }),
      ...(session !== null && { [SESSION_HEADER]: session }),
    };
  },
  forget(): void {
    browserStorage.removeItem(STORAGE_KEYS.logoutPending);
    browserStorage.removeItem(STORAGE_KEYS.logoutSession);
  },
};
