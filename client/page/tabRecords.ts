import { isSame } from './isSame.ts';
import { type KeyValueStorage, TAB_STORAGE_KEYS } from './pageStorage.ts';

/** What the page finds again when it is loaded again in the same tab. A copied tab finds it too. */
export type TabRecords = {
  /** The account whose sound was wanted, and the id of the page in which it was; null for one that wrote no id. */
  soundWanted: { account: string; page: string | null } | null;
};

export function readTabRecords({ getItem }: Pick<KeyValueStorage, 'getItem'>): TabRecords {
  const account = getItem(TAB_STORAGE_KEYS.soundWanted);
  return {
    soundWanted: account === null ? null : { account, page: getItem(TAB_STORAGE_KEYS.soundWantedBy) },
  };
}

/** Writes what differs from what is known to be on record. */
export function writeTabRecords(storage: KeyValueStorage, known: TabRecords, wanted: TabRecords): void {
  const set = (key: string, value: string | null) =>
    value === null ? storage.removeItem(key) : storage.setItem(key, value);
  if (!isSame(known.soundWanted, wanted.soundWanted)) {
    set(TAB_STORAGE_KEYS.soundWanted, wanted.soundWanted?.account ?? null);
    set(TAB_STORAGE_KEYS.soundWantedBy, wanted.soundWanted?.page ?? null);
  }
}
