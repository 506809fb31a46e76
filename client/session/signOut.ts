import { ACCOUNT_HEADER, accountHeaderOf } from '../../shared/accountHeader.ts';
import { localRecords } from './localRecords.ts';
import { sessionEnd, soundCut, soundOnAir } from './sessionEnd.ts';
import { browserStorage, STORAGE_KEYS } from './storage.ts';

export function signOut(): void {
  sessionEnd(undefined);
  soundOnAir(null);
  soundCut(false);
  const account = localRecords.account();
  if (account) browserStorage.setItem(STORAGE_KEYS.logoutPending, accountHeaderOf(account.id));
  localRecords.clear();
}

/** The sign-out that the server has not confirmed yet. It outlives the page, as the session's cookie does. */
export const pendingLogout = {
  exists: () => browserStorage.getItem(STORAGE_KEYS.logoutPending) !== null,

  /** The header that keeps the server from ending another account's session; none for a sign-out in release 1.1. */
  headers(): Record<string, string> {
    const account = browserStorage.getItem(STORAGE_KEYS.logoutPending);
    return account === null || account === 'true' ? {} : { [ACCOUNT_HEADER]: account };
  },
  forget: () => browserStorage.removeItem(STORAGE_KEYS.logoutPending),
};
