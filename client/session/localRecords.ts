import { useSyncExternalStore } from 'react';
import { type Account, openLocalRecords, type StoredToken } from './records.ts';
import { browserStorage } from './storage.ts';

/** This browser's records. */
export const localRecords = openLocalRecords(browserStorage);

/** Returns the signed-in account, followed across tabs. */
export function useAccount(): Account | null {
  return useSyncExternalStore(localRecords.subscribe, localRecords.account);
}

/** Returns the last token made, followed across tabs. */
export function useStoredToken(): StoredToken | null {
  return useSyncExternalStore(localRecords.subscribe, localRecords.token);
}
