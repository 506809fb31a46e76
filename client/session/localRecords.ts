import { useSyncExternalStore } from 'react';
import { isSame } from '../page/isSame.ts';
import type { KeyValueStorage } from '../page/pageStorage.ts';
import { type Account, readRecords, writeRecords } from '../page/records.ts';
import { browserStorage } from './storage.ts';

/** The account of the contract's storage keys (specification, section 3). */
export function recordsIn(storage: KeyValueStorage) {
  let last: Account | null = null;

  const records = {
    account(): Account | null {
      const { account } = readRecords(storage);
      // React compares snapshots by identity.
      if (!isSame(account, last)) last = account;
      return last;
    },

    isSameAccount: (then: { id: string } | null | undefined): boolean => records.account()?.id === then?.id,

    /** Keeps no token of another account. */
    keepAccount({ id, company }: Account): void {
      const known = readRecords(storage);
      const token = known.account?.id === id ? known.token : null;
      writeRecords(storage, known, { ...known, account: { id, company }, token });
    },

    clear(): void {
      const known = readRecords(storage);
      writeRecords(storage, known, { ...known, account: null, token: null });
    },
  };
  return records;
}

export const localRecords = recordsIn(browserStorage);

export function useAccount(): Account | null {
  return useSyncExternalStore(browserStorage.subscribe, localRecords.account);
}
