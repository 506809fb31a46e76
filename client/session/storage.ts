export const STORAGE_KEYS = {
  account: 'account',
  token: 'token',
  tokenExpire: 'token_expire',
  tokenExpiredAt: 'token_expired_at',
  volume: 'volume',
  logoutPending: 'logout_pending',
  logoutSession: 'logout_session',
  autoCreate: 'create_token_on_loss',
} as const;

export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export type ObservedStorage = KeyValueStorage & {
  /** Calls `onChange` with the key that this page wrote, or without one when another tab wrote. */
  subscribe(onChange: (ownKey?: string) => void): () => void;
};

export const browserStorage = observedStorage(() => window.localStorage);

/** Belongs to this tab alone, and survives a reload, a crash and the browser's discarding of the tab. */
export const tabStorage = observedStorage(() => window.sessionStorage);

export const TAB_STORAGE_KEYS = {
  soundWanted: 'sound_wanted',
  /** The id of the page that wrote it. In a copied tab that is the original's page, which is still open. */
  soundWantedBy: 'sound_wanted_by',
} as const;

/**
 * Wraps a storage so that it notifies listeners and never throws: values that the browser refuses to keep (private
 * windows, a full quota, storage switched off) are kept in memory until the page is left.
 */
export function observedStorage(openStorage: () => KeyValueStorage): ObservedStorage {
  const memory = new Map<string, string | null>();
  const listeners = new Set<(ownKey?: string) => void>();

  function change(key: string, apply: (storage: KeyValueStorage) => void, value: string | null): void {
    try {
      apply(openStorage());
      memory.delete(key);
    } catch {
      memory.set(key, value);
    }
    for (const listener of listeners) listener(key);
  }

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
    setItem: (key, value) => change(key, (storage) => storage.setItem(key, value), value),
    removeItem: (key) => change(key, (storage) => storage.removeItem(key), null),
    subscribe(onChange) {
      const onOtherTab = () => onChange();
      listeners.add(onChange);
      window.addEventListener('storage', onOtherTab);
      // Another tab may have changed it while this page was in the browser's back/forward cache.
      window.addEventListener('pageshow', onOtherTab);
      return () => {
        listeners.delete(onChange);
        window.removeEventListener('storage', onOtherTab);
        window.removeEventListener('pageshow', onOtherTab);
      };
    },
  };
}
