import { useSyncExternalStore } from 'react';
import { browserStorage, STORAGE_KEYS } from '../../session/storage.ts';

export function useTokenOrder(accountId: string): [ordered: boolean, order: (beforehand: boolean) => void] {
  const ordered = useSyncExternalStore(browserStorage.subscribe, () => accounts().includes(accountId));
  function order(beforehand: boolean): void {
    const others = accounts().filter((id) => id !== accountId);
    const now = beforehand ? [...others, accountId] : others;
    browserStorage.setItem(STORAGE_KEYS.createsTokens, JSON.stringify(now));
  }
  return [ordered, order];
}

function accounts(): unknown[] {
  try {
    const stored: unknown = JSON.parse(browserStorage.getItem(STORAGE_KEYS.createsTokens) ?? '');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}
