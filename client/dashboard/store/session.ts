import { type Account, type LocalRecords, parseJson } from '../../session/localRecords.ts';
import { type KeyValueStorage, STORAGE_KEYS } from '../../session/storage.ts';

export type Session = {
  sessionEnded: boolean;
  autoCreate: boolean;
};

type SessionOptions = {
  account: Account;
  records: LocalRecords;
  storage: KeyValueStorage;
  onOtherAccount(): void;
  onRead(session: Session, before: Session): void;
};

export function createSession({ account, records, storage, onOtherAccount, onRead }: SessionOptions) {
  let state: Session = { sessionEnded: false, autoCreate: false };

  function read(): void {
    const signedIn = records.account();
    if (signedIn !== null && signedIn.id !== account.id) {
      onOtherAccount();
      return;
    }
    const before = state;
    state = { sessionEnded: signedIn === null, autoCreate: tickedAccounts().includes(account.id) };
    onRead(state, before);
  }

  function setAutoCreate(on: boolean): void {
    const others = tickedAccounts().filter((id) => id !== account.id);
    storage.setItem(STORAGE_KEYS.autoCreate, JSON.stringify(on ? [...others, account.id] : others));
  }

  function tickedAccounts(): unknown[] {
    const kept = parseJson(storage.getItem(STORAGE_KEYS.autoCreate));
    return Array.isArray(kept) ? kept : [];
  }

  return { state: () => state, read, setAutoCreate };
}
