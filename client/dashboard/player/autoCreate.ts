import { useSyncExternalStore } from 'react';
import { browserStorage, STORAGE_KEYS } from '../../session/storage.ts';

export function useAutoCreate(accountId: string): [on: boolean, setOn: (on: boolean) => void] {
  const on = useSyncExternalStore(browserStorage.subscribe, () => accounts().includes(accountId));
  function setOn(isOn: boolean): void {
    const others = accounts().filter((id) => id !== accountId);
    const now = isOn ? [...others, accountId] : others;
    browserStorage.setItem(STORAGE_KEYS.autoCreate, JSON.stringify(now));
  }
  return [on, setOn];
}

function accounts(): unknown[] {
  try {
    const stored: unknown = JSON.parse(browserStorage.getItem(STORAGE_KEYS.autoCreate) ?? '');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}
