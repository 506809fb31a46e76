import { useSyncExternalStore } from 'react';
import { browserStorage, type KeyValueStorage, STORAGE_KEYS } from './storage.ts';
import { parseSeal, sealOf, sealText } from './tokenSeal.ts';

export type Account = { id: string; company: string };

/**
 * `expiresAt`: in epoch milliseconds by this browser's clock, 0 once it has passed. `tokenState` decides whether the
 * token is valid (client/page/tokenState.ts).
 */
export type StoredToken = { token: string; expiresAt: number };

/**
 * The token on record, and what its seal says: `fits`: token and expiry belong together; `othersToken`: they do, and were
 * made for another account; `torn`: another tab has written only a part yet, or an older release of the page wrote it;
 * `missing`: no release that seals was here yet.
 */
export type TokenRecord = {
  token: StoredToken | null;
  seal: 'fits' | 'othersToken' | 'torn' | 'missing';
};

export type LocalRecords = ReturnType<typeof recordsIn>;

/** The storage keys of the contract (specification, section 3), parsed on read. */
export function recordsIn(storage: KeyValueStorage) {
  const readAccount = sameWhileUnchanged(parseAccount);

  const records = {
    account: () => readAccount(storage.getItem(STORAGE_KEYS.account)),

    isSameAccount: (then: { id: string } | null | undefined): boolean => records.account()?.id === then?.id,

    token(accountId: string): TokenRecord {
      const text = storage.getItem(STORAGE_KEYS.token);
      const token = parseToken(text, storage.getItem(STORAGE_KEYS.tokenExpire));
      if (token === null) return { token, seal: 'fits' };
      const found = parseSeal(storage.getItem(STORAGE_KEYS.tokenSeal));
      const fitting = sealOf(token, accountId);
      if (found === null) return { token, seal: 'missing' };
      if (found.token !== fitting.token) return { token, seal: 'torn' };
      return { token, seal: found.account === fitting.account ? 'fits' : 'othersToken' };
    },

    keepAccount({ id, company }: Account): void {
      const text = JSON.stringify({ logged: true, id, company });
      // Otherwise a late answer would undo a sign-out in another tab, of which this one has not heard yet.
      if (storage.getItem(STORAGE_KEYS.account) !== text) storage.setItem(STORAGE_KEYS.account, text);
    },

    /** The seal stays. It is read only beside a token. */
    clear(): void {
      storage.removeItem(STORAGE_KEYS.account);
      records.clearToken();
    },

    clearToken(): void {
      storage.removeItem(STORAGE_KEYS.token);
      storage.removeItem(STORAGE_KEYS.tokenExpire);
    },

    keepToken(token: StoredToken, accountId: string): void {
      // The expiry first: a tab of an older release must never see the new token with an expiry that has passed.
      storage.setItem(STORAGE_KEYS.tokenExpire, String(token.expiresAt));
      storage.setItem(STORAGE_KEYS.token, token.token);
      records.sealToken(token, accountId);
    },

    /** Without writing the token, which may be a newer one, of which this tab has not heard yet. */
    markTokenExpired(token: StoredToken, accountId: string): void {
      storage.setItem(STORAGE_KEYS.tokenExpire, '0');
      records.sealToken({ ...token, expiresAt: 0 }, accountId);
    },

    /** Says of the token on record that its two values belong together. */
    sealToken: (token: StoredToken, accountId: string): void =>
      storage.setItem(STORAGE_KEYS.tokenSeal, sealText(sealOf(token, accountId))),
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
