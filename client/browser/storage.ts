import {
  type KeyValueStorage,
  type ObservedStorage,
  type StorageChange,
  TOKEN_KEYS,
} from '../page/storageKeys.ts';

export const browserStorage = observedStorage(() => window.localStorage);

export const tabStorage = observedStorage(() => window.sessionStorage);

/**
 * Wraps a storage so that it notifies listeners and never throws: values that the browser refuses to keep (private
 * windows, a full quota, storage switched off) are kept in memory, until another tab changes them or the page is left.
 */
export function observedStorage(
  openStorage: () => KeyValueStorage,
  events: () => EventTarget = () => window,
): ObservedStorage {
  /** Refused values, and what is stored in their place. */
  const memory = new Map<string, { value: string | null; stored: string | null | undefined }>();
  const listeners = new Set<(change: StorageChange) => void>();

  function notify(change: StorageChange): void {
    for (const listener of [...listeners]) listener(change);
  }

  /** Undefined if the browser refuses to read it. */
  function storedItem(key: string): string | null | undefined {
    try {
      return openStorage().getItem(key);
    } catch {
      return undefined;
    }
  }

  /** Refused values of the token are forgotten together, since they belong together. */
  function forget(key: string): void {
    for (const each of TOKEN_KEYS.includes(key) ? TOKEN_KEYS : [key]) memory.delete(each);
  }

  function onStorage(event: Event): void {
    const { key, newValue } = event as StorageEvent;
    if (key === null) memory.clear();
    // Ignore events that only repeat the value stored when this page's was refused.
    else if (memory.has(key) && memory.get(key)?.stored !== newValue) forget(key);
    notify({ by: 'otherTab', key, newValue });
  }

  function onPageShow(event: Event): void {
    if ((event as PageTransitionEvent).persisted) notify({ by: 'cache', key: null, newValue: null });
  }

  function change(key: string, apply: (storage: KeyValueStorage) => void, value: string | null): void {
    try {
      apply(openStorage());
      memory.delete(key);
    } catch {
      memory.set(key, { value, stored: storedItem(key) });
    }
    notify({ by: 'thisPage', key, newValue: value });
  }

  return {
    getItem(key) {
      const group = TOKEN_KEYS.includes(key) ? TOKEN_KEYS : [key];
      const isChanged = (each: string) => memory.has(each) && storedItem(each) !== memory.get(each)?.stored;
      if (group.some(isChanged)) forget(key);
      const refused = memory.get(key);
      return refused ? refused.value : (storedItem(key) ?? null);
    },
    setItem: (key, value) => change(key, (storage) => storage.setItem(key, value), value),
    removeItem: (key) => change(key, (storage) => storage.removeItem(key), null),
    subscribe(onChange) {
      listeners.add(onChange);
      // Added once, however many subscribe.
      events().addEventListener('storage', onStorage);
      events().addEventListener('pageshow', onPageShow);
      return () => {
        listeners.delete(onChange);
        if (listeners.size > 0) return;
        events().removeEventListener('storage', onStorage);
        events().removeEventListener('pageshow', onPageShow);
      };
    },
  };
}
