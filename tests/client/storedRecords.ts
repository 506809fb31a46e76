import { type Account, readRecords, type StoredToken, writeRecords } from '../../client/page/records.ts';
import type { KeyValueStorage } from '../../client/page/storageKeys.ts';

/** Reads and writes the records of a storage, as another tab does that has them before it. */
export function storedRecords(storage: KeyValueStorage = browserRecords) {
  const change = (wanted: Partial<ReturnType<typeof readRecords>>) => {
    const known = readRecords(storage);
    writeRecords(storage, known, { ...known, ...wanted });
  };
  return {
    read: () => readRecords(storage),
    /** Keeps no token of another account. */
    keepAccount(account: Account) {
      const { account: before, token } = readRecords(storage);
      change({ account, signingOut: null, token: before?.id === account.id ? token : null });
    },
    keepToken: (token: StoredToken) => change({ token, seal: 'fits' }),
    clear: () => change({ account: null, token: null }),
  };
}

const browserRecords: KeyValueStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
};

const EVENTS = ['logout_pending', 'account', 'token_expire', 'token', 'token_seal'];

/** Changes the records as another tab does: the page hears of it. */
export function byOtherTab(change: (records: ReturnType<typeof storedRecords>) => void): void {
  const before = { ...localStorage };
  change(storedRecords());
  for (const key of EVENTS) {
    const newValue = localStorage.getItem(key);
    if (newValue !== (before[key] ?? null))
      window.dispatchEvent(new StorageEvent('storage', { key, newValue }));
  }
}
