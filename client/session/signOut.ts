import { localRecords } from './localRecords.ts';
import { forgetSessionEnd } from './sessionEnd.ts';
import { browserStorage, STORAGE_KEYS } from './storage.ts';

/** Signs out of this browser at once. The login screen, which is shown next, tells the server (client/login/usePendingLogout.ts). */
export function signOut(): void {
  forgetSessionEnd();
  browserStorage.setItem(STORAGE_KEYS.logoutPending, 'true');
  localRecords.clear();
}

/** The sign-out that the server has not confirmed yet. It outlives the page, as the session's cookie does. */
export const pendingLogout = {
  exists: () => browserStorage.getItem(STORAGE_KEYS.logoutPending) !== null,
  forget: () => browserStorage.removeItem(STORAGE_KEYS.logoutPending),
};
