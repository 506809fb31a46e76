/** Every key that the page keeps in the browser's storage. */
export const STORAGE_KEYS = {
  account: 'account',
  token: 'token',
  tokenExpire: 'token_expire',
  volume: 'volume',
  logoutPending: 'logout_pending',
} as const;

/** The part of the Web Storage API that is used here. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The browser's storage; never throws. */
export const browserStorage = withMemoryFallback(() => window.localStorage);

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
