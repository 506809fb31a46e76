const ACCOUNT_KEY = 'account';
const TOKEN_KEY = 'token';
const TOKEN_EXPIRE_KEY = 'token_expire';

/** The account that this browser is signed in with. */
export type Account = { id: string; company: string };

/**
 * The last token made. `expiresAt` is in epoch milliseconds by this browser's clock, 0 once it ran out; whether it is believed
 * depends on the present time (client/dashboard/token/tokenState.ts).
 */
export type StoredToken = { token: string; expiresAt: number };

/** The part of the Web Storage API that is used here. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The three keys of the contract, parsed on read (specification, section 3). */
export type LocalRecords = {
  /** Returns the signed-in account, or null when there is none or the record is malformed; the same object until it changes. */
  account(): Account | null;
  /** Returns the last token made, or null when there is none or a record is malformed; the same object until it changes. */
  token(): StoredToken | null;
  signIn(account: Account): void;
  /** Clears the three keys and no other. */
  signOut(): void;
  keepToken(token: string, expiresAt: number): void;
  /** Sets the expiry of a token that ran out to 0, unless a newer one took its place meanwhile. */
  markTokenExpired(expired: StoredToken): void;
  /** Adds a listener for changes made here or in another tab; returns the function that removes it. */
  subscribe(onChange: () => void): () => void;
};

/**
 * Opens the records over one storage. `changesElsewhere` is the window: its `storage` and `pageshow` events tell that another tab
 * may have changed them.
 */
export function openLocalRecords(
  storage: KeyValueStorage,
  changesElsewhere: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>,
): LocalRecords {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const account = sameWhileUnchanged(parseAccount);
  const token = sameWhileUnchanged(parseToken);

  return {
    account: () => account(storage.getItem(ACCOUNT_KEY)),
    token: () => token(storage.getItem(TOKEN_KEY), storage.getItem(TOKEN_EXPIRE_KEY)),
    signIn({ id, company }) {
      storage.setItem(ACCOUNT_KEY, JSON.stringify({ logged: true, id, company }));
      notify();
    },
    signOut() {
      for (const key of [ACCOUNT_KEY, TOKEN_KEY, TOKEN_EXPIRE_KEY]) storage.removeItem(key);
      notify();
    },
    keepToken(text, expiresAt) {
      storage.setItem(TOKEN_KEY, text);
      storage.setItem(TOKEN_EXPIRE_KEY, String(expiresAt));
      notify();
    },
    markTokenExpired({ token, expiresAt }) {
      if (expiresAt === 0) return;
      if (storage.getItem(TOKEN_KEY) !== token) return;
      if (parseExpire(storage.getItem(TOKEN_EXPIRE_KEY)) !== expiresAt) return;
      storage.setItem(TOKEN_EXPIRE_KEY, '0');
      notify();
    },
    subscribe(onChange) {
      if (listeners.size === 0) {
        changesElsewhere.addEventListener('storage', notify);
        changesElsewhere.addEventListener('pageshow', notify);
      }
      listeners.add(onChange);
      return () => {
        listeners.delete(onChange);
        if (listeners.size > 0) return;
        changesElsewhere.removeEventListener('storage', notify);
        changesElsewhere.removeEventListener('pageshow', notify);
      };
    },
  };
}

/**
 * Wraps a storage so that it never throws: values that the browser refuses to keep (private windows, a full quota, storage
 * switched off) are kept in memory until the page is left.
 */
export function withMemoryFallback(openStorage: () => KeyValueStorage): KeyValueStorage {
  const memory = new Map<string, string | null>();
  return {
    getItem(key) {
      const remembered = memory.get(key);
      if (remembered !== undefined) return remembered;
      try {
        return openStorage().getItem(key);
      } catch {
        return null;
      }
    },
    setItem(key, value) {
      try {
        openStorage().setItem(key, value);
        memory.delete(key);
      } catch {
        memory.set(key, value);
      }
    },
    removeItem(key) {
      try {
        openStorage().removeItem(key);
        memory.delete(key);
      } catch {
        memory.set(key, null);
      }
    },
  };
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
  const expiresAt = parseExpire(expireText);
  if (!text?.trim() || /\p{Cc}/u.test(text) || expiresAt === null) return null;
  return { token: text, expiresAt };
}

function parseExpire(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** React compares snapshots by identity, so equal texts must read as the same object. */
function sameWhileUnchanged<Value>(parse: (...texts: (string | null)[]) => Value) {
  let last: { texts: (string | null)[]; value: Value } | undefined;
  return (...texts: (string | null)[]): Value => {
    const lastTexts = last?.texts;
    if (last && texts.every((text, index) => text === lastTexts?.[index])) return last.value;
    last = { texts, value: parse(...texts) };
    return last.value;
  };
}
