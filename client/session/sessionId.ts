import { type Account, localRecords } from './localRecords.ts';
import { STORAGE_KEYS } from './storage.ts';

let learned: { account: Account; id: string } | null = null;

/** The id of this browser's session, from the header of the server's answers. Kept in memory only. */
export const sessionId = {
  /** Null if unknown, also once the account record was rewritten, since that may mean a new session. */
  current: () => (learned && learned.account === localRecords.account() ? learned.id : null),

  /** @param account - the account record when the request was sent */
  learn(account: Account, id: string | null | undefined): void {
    if (id) learned = { account, id };
  },
};

// Another tab may have signed out and in again, also while this page was in the browser's back/forward cache.
window.addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEYS.account) learned = null;
});
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) learned = null;
});
