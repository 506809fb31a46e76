import { type Account, localRecords } from './localRecords.ts';
import { STORAGE_KEYS } from './storage.ts';

let learned: { account: Account; name: string } | null = null;

/** The server's name of this browser's session, as answers tell it (shared/sessionHeader.ts). In memory alone. */
export const sessionName = {
  /** Returns null if unknown, also when the account record was written anew: the session may be another one then. */
  current: () => (learned && learned.account === localRecords.account() ? learned.name : null),

  /** @param account - the record with which the server was asked */
  learn(account: Account, name: string | null | undefined): void {
    if (name) learned = { account, name };
  },
};

// Another tab may have signed out and in again, also while this page was in the browser's back/forward cache.
window.addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEYS.account) learned = null;
});
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) learned = null;
});
