import { useSyncExternalStore } from 'react';
import { browserStorage, STORAGE_KEYS } from './storage.ts';

export type Account = { id: string; company: string };

/**
 * The last token made. `expiresAt` is in epoch milliseconds by this browser's clock, 0 once it ran out; whether it is
 * believed depends on the present time (client/dashboard/token/tokenState.ts).
 */
export type StoredToken = { token: string; expiresAt: number };

const readAccount = sameWhileUnchanged(parseAccount);
const readToken = sameWhileUnchanged(parseToken);

/** This browser's three keys of the contract (specification, section 3) and `token_expired_at`, parsed on read. */
export const localRecords = {
  account: () => readAccount(browserStorage.getItem(STORAGE_KEYS.account)),

  /** Whether the account signed in now is `then`; true also if both are none. */
  isSameAccount: (then: { id: string } | null | undefined): boolean =>
    localRecords.account()?.id === then?.id,

  token: () =>
    readToken(browserStorage.getItem(STORAGE_KEYS.token), browserStorage.getItem(STORAGE_KEYS.tokenExpire)),

  keepAccount({ id, company }: Account): void {
    browserStorage.setItem(STORAGE_KEYS.account, JSON.stringify({ logged: true, id, company }));
  },

  /** Deletes no other key: `token_expired_at` means nothing without a token. */
  clear(): void {
    for (const key of [STORAGE_KEYS.account, STORAGE_KEYS.token, STORAGE_KEYS.tokenExpire])
      browserStorage.removeItem(key);
  },

  keepToken(token: string, expiresAt: number): void {
    // The expiry first: another tab must never see the new token with an expiry that has passed.
    browserStorage.setItem(STORAGE_KEYS.tokenExpire, String(expiresAt));
    browserStorage.setItem(STORAGE_KEYS.token, token);
  },

  /** Sets the expiry to 0 and keeps its time beside it, unless a newer token took its place. */
  markTokenExpired(expired: StoredToken): void {
    if (expired.expiresAt === 0 || localRecords.token() !== expired) return;
    browserStorage.setItem(STORAGE_KEYS.tokenExpiredAt, String(expired.expiresAt));
    browserStorage.setItem(STORAGE_KEYS.tokenExpire, '0');
  },
};

export function useAccount(): Account | null {
  return useSyncExternalStore(browserStorage.subscribe, localRecords.account);
}

export function useStoredToken(): StoredToken | null {
  return useSyncExternalStore(browserStorage.subscribe, localRecords.token);
}

/** Returns when a token expired whose stored expiry was reset to 0, in epoch milliseconds; null if unknown. */
export function useTokenExpiredAt(): number | null {
  return useSyncExternalStore(browserStorage.subscribe, () =>
    parseEpochMs(browserStorage.getItem(STORAGE_KEYS.tokenExpiredAt)),
  );
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

/** Returns null for text that is not JSON. */
export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** React compares snapshots by identity, so equal texts must read as the same object. */
function sameWhileUnchanged<Value>(parse: (...texts: (string | null)[]) => Value) {
  let last: { key: string; value: Value } | undefined;
  return (...texts: (string | null)[]): Value => {
    const key = JSON.stringify(texts);
    if (last?.key !== key) last = { key, value: parse(...texts) };
    return last.value;
  };
}
