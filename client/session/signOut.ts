import { ACCOUNT_HEADER, accountHeaderOf } from '../../shared/accountHeader.ts';
import { SESSION_HEADER } from '../../shared/sessionHeader.ts';
import { localRecords } from './localRecords.ts';
import { sessionEnd, soundCut, soundOnAir } from './sessionEnd.ts';
import { sessionId } from './sessionId.ts';
import { browserStorage, STORAGE_KEYS } from './storage.ts';

export function signOut(): void {
  sessionEnd(undefined);
  soundOnAir(null);
  soundCut(false);
  const account = localRecords.account();
  if (account) keepPending(accountHeaderOf(account.id), sessionId.current());
  localRecords.clear();
}

function keepPending(account: string, session: string | null): void {
  // First, since other tabs leave the dashboard at the next change, and would not learn of the sign-out any more. They
  // send it when the account record is gone.
  browserStorage.setItem(STORAGE_KEYS.logoutPending, account);
  if (session) browserStorage.setItem(STORAGE_KEYS.logoutSession, session);
  else browserStorage.removeItem(STORAGE_KEYS.logoutSession);
}

/** The sign-out that the server has not confirmed yet. It outlives the page, as the session's cookie does. */
export const pendingLogout = {
  exists: () => browserStorage.getItem(STORAGE_KEYS.logoutPending) !== null,

  /** The headers that keep the server from ending another session; no account for a sign-out in release 1.1. */
  headers(): Record<string, string> {
    const account = browserStorage.getItem(STORAGE_KEYS.logoutPending);
    const session = browserStorage.getItem(STORAGE_KEYS.logoutSession);
    return {
      ...(account !== null && account !== 'true' && { [ACCOUNT_HEADER]: account }),
      ...(session !== null && { [SESSION_HEADER]: session }),
    };
  },
  forget(): void {
    browserStorage.removeItem(STORAGE_KEYS.logoutPending);
    browserStorage.removeItem(STORAGE_KEYS.logoutSession);
  },
};
