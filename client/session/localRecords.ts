import { useSyncExternalStore } from 'react';
import { browserStorage, type KeyValueStorage, STORAGE_KEYS } from './storage.ts';

export type Account = { id: string; company: string };

/**
 * `expiresAt`: in epoch milliseconds by this browser's clock, 0 once it has passed. `tokenState` decides whether the
 * token is valid (client/dashboard/machine/tokenState.ts).
 */
export type StoredToken = { token: string; expiresAt: number };

export type LocalRecords = ReturnType<typeof recordsIn>;

/** The three storage keys of the contract (specification, section 3), parsed on read. */
export function recordsIn(storage: KeyValueStorage) {
  const readAccount = sameWhileUnchanged(parseAccount);

  const records = {
    account: () => readAccount(storage.getItem(STORAGE_KEYS.account)),

    isSameAccount: (then: { id: string } | null | undefined): boolean => records.account()?.id === then?.id,

    token: () => parseToken(storage.getItem(STORAGE_KEYS.token), storage.getItem(STORAGE_KEYS.tokenExpire)),

    keepAccount({ id, company }: Account): void {
      const text = JSON.stringify({ logged: true, id, company });
      // Otherwise a late answer would undo a sign-out in another tab, of which this one has not heard yet.
      if (storage.getItem(STORAGE_KEYS.account) !== text) storage.setItem(STORAGE_KEYS.account, text);
    },

    clear(): void {
      for (const key of [STORAGE_KEYS.account, STORAGE_KEYS.token, STORAGE_KEYS.tokenExpire])
        storage.removeItem(key);
    },

    keepToken(token: string, expiresAt: number): void {
      // The expiry first: another tab must never see the new token with an expiry that has passed.
      storage.setItem(STORAGE_KEYS.tokenExpire, String(expiresAt));
      storage.setItem(STORAGE_KEYS.token, token);
    },

    markTokenExpired(expired: StoredToken): void {
      if (expired.expiresAt === 0 || !isSameToken(records.token(), expired)) return;
      storage.setItem(STORAGE_KEYS.tokenExpire, '0');
    },
  };
  return records;
}

export const localRecords = recordsIn(browserStorage);

export function useAccount(): Account | null {
  return useSyncExternalStore(browserStorage.subscribe, localRecords.account);
}

export function isSameToken(one: StoredToken | null, other: StoredToken | null): boolean {
  return one?.token === other?.token && one?.expiresAt === other?.expiresAt;
}

function parseAccount(text: string | null): Account | null {
  const record = parseJson(text);
  if (typeof record !== 'object' || record === null) return null;
  if (!('logged' in record && 'id' in record && 'company' in record)) return null;
  const { logged, id, company } = record;
  if (logged !== true || typeof id !== 'string' || typeof company !== 'string') return null;
  return { id, company };
}

function parseToken(text: string | null, expireText: string | null): StoredToken | null {
  const expiresAt = parseEpochMs(expireText);
  if (!text?.trim() || /\p{Cc}/u.test(text) || expiresAt === null) return null;
  return { token: text, expiresAt };
}

function parseEpochMs(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** React compares snapshots by identity, so the same text must read as the same object. */
function sameWhileUnchanged<Value>(parse: (text: string | null) => Value) {
  let last: { text: string | null; value: Value } | undefined;
  return (text: string | null): Value => {
    if (last?.text !== text) last = { text, value: parse(text) };
    return last.value;
  };
}
