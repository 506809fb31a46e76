import { useSyncExternalStore } from 'react';
import { parseJson } from '../../session/localRecords.ts';
import { browserStorage, STORAGE_KEYS } from '../../session/storage.ts';

export function useAutoCreate(accountId: string): [on: boolean, setOn: (on: boolean) => void] {
  const on = useSyncExternalStore(browserStorage.subscribe, () => accounts().includes(accountId));
  function setOn(isOn: boolean): void {
    const others = accounts().filter((id) => id !== accountId);
    const kept = isOn ? [...others, accountId] : others;
    browserStorage.setItem(STORAGE_KEYS.autoCreate, JSON.stringify(kept));
  }
  return [on, setOn];
}

function accounts(): unknown[] {
  const stored = parseJson(browserStorage.getItem(STORAGE_KEYS.autoCreate));
  return Array.isArray(stored) ? stored : [];
}
