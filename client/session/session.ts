import { ACCOUNT_HEADER, accountHeaderOf, SESSION_HEADER } from '../../shared/headers.ts';
import { type ObservedStorage, STORAGE_KEYS, type StorageChange } from '../page/pageStorage.ts';
import type { Account } from '../page/records.ts';
import type { SessionEnd } from '../page/sessionEnd.ts';
import { recordsIn } from './localRecords.ts';

/**
 * A request's account, and the numbers of session and record when it was sent. An answer
 * to a request of an earlier number says nothing about the session.
 */
export type Asked = { account: Account | null; sessionNumber: number; recordNumber: number };

type LastSession = {
  /** Unset after a sign-out here. */
  end: SessionEnd | undefined;
  cutSound: boolean;
};

type SessionState = {
  /** The account whose sound is on air in this tab. Its dashboard outlasts the session, until the sound ends. */
  onAir: Account | null;
  /** Counts the dashboards that ended because another tab signed out and in again. */
  dashboardsReplaced: number;
};

/**
 * Begins and ends sessions in the browser's records, and keeps what one page knows of its own. Create it before anything
 * else subscribes to the storage: a browser may change all values before the first event, and a listener that ran
 * earlier would find no account, and leave the dashboard with the wrong reason.
 */
export function createSession(storage: ObservedStorage) {
  const records = recordsIn(storage);
  const listeners = new Set<() => void>();
  const signOutListeners = new Set<() => void>();
  let state: SessionState = { onAir: null, dashboardsReplaced: 0 };
  let last: LastSession = { end: undefined, cutSound: false };
  /** Raised whenever the session may be a new one: at a sign-in here, and when another tab signs out or writes the account. */
  let sessionNumber = 0;
  /** False after a sign-in, until an answer shows that the browser sends the session's cookie. */
  let isCookieConfirmed = true;
  /** The id of this browser's session, from the header of the server's answers. Kept in memory only. */
  let learned: string | null = null;
  /** Raised whenever the account record was written, or may have been. */
  let recordNumber = 0;

  function change(part: Partial<SessionState>): void {
    state = { ...state, ...part };
    for (const listener of listeners) listener();
  }

  function follow({ by, key, newValue }: StorageChange): void {
    // Somebody may have signed out and in again, also while this page was in the browser's back/forward cache.
    if (by === 'cache' || key === STORAGE_KEYS.account) {
      learned = null;
      recordNumber += 1;
    }
    // In the cache a page gets no events.
    if (by === 'cache' && records.account() === null && pendingLogout.exists()) endElsewhere();
    if (by !== 'otherTab' || newValue === null) return;
    if (key === STORAGE_KEYS.logoutPending || key === STORAGE_KEYS.account) sessionNumber += 1;
    if (key === STORAGE_KEYS.logoutPending) {
      endElsewhere();
    } else if (key === STORAGE_KEYS.account && last.end === 'SIGNED_OUT_ELSEWHERE') {
      // A tab that was frozen never sees the account gone, so nothing else replaces its dashboard.
      forgetLast();
      change({ dashboardsReplaced: state.dashboardsReplaced + 1 });
    }
  }

  function endElsewhere(): void {
    last = { end: 'SIGNED_OUT_ELSEWHERE', cutSound: state.onAir !== null };
    for (const listener of signOutListeners) listener();
    change({ onAir: null });
  }

  function forgetLast(): void {
    last = { end: undefined, cutSound: false };
  }

  function keepPending(accountHeader: string): void {
    // Must be written first: otherwise another tab could find the account record gone, and leave the dashboard without
    // learning that somebody signed out. A tab that learns it sends the sign-out too.
    storage.setItem(STORAGE_KEYS.logoutPending, accountHeader);
    if (learned !== null) storage.setItem(STORAGE_KEYS.logoutSession, learned);
    else storage.removeItem(STORAGE_KEYS.logoutSession);
  }

  /** The sign-out that the server has not confirmed yet. Like the session's cookie it is kept when the page closes. */
  const pendingLogout = {
    exists: () => storage.getItem(STORAGE_KEYS.logoutPending) !== null,

    /** With these headers the server ends no other session. */
    headers(): Record<string, string> {
      const account = storage.getItem(STORAGE_KEYS.logoutPending);
      const session = storage.getItem(STORAGE_KEYS.logoutSession);
      return {
        ...(account !== null && { [ACCOUNT_HEADER]: account }),
        ...(session !== null && { [SESSION_HEADER]: session }),
      };
    },
    /** @param sent - the headers of the request that the server confirmed; a later sign-out stays pending */
    confirm(sent: Record<string, string>): void {
      if (JSON.stringify(sent) === JSON.stringify(pendingLogout.headers())) pendingLogout.forget();
    },
    forget(): void {
      storage.removeItem(STORAGE_KEYS.logoutPending);
      storage.removeItem(STORAGE_KEYS.logoutSession);
    },
  };

  storage.subscribe(follow);

  return {
    state: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Calls `listener` whenever another tab signs out. */
    onSignOutElsewhere(listener: () => void): void {
      signOutListeners.add(listener);
    },

    /** How this tab's last session ended, which the login screen says when it opens. */
    last: () => last,
    forgetLast,

    pendingLogout,

    signIn(account: Account): void {
      pendingLogout.forget();
      isCookieConfirmed = false;
      sessionNumber += 1;
      records.keepAccount(account);
    },

    signOut(): void {
      forgetLast();
      change({ onAir: null });
      const signedIn = records.account();
      if (signedIn) keepPending(accountHeaderOf(signedIn.id));
      records.clear();
    },

    asked: (): Asked => ({ account: records.account(), sessionNumber, recordNumber }),

    /** @param id - the session's, from the answer's header */
    answered(asked: Asked, id: string | null): void {
      if (asked.account === null) return;
      isCookieConfirmed = true;
      if (id && asked.recordNumber === recordNumber) learned = id;
    },

    /** The server refused the session of a request. */
    refused(asked: Asked, code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
      // Somebody may have signed in again before the answer came.
      if (!records.isSameAccount(asked.account) || asked.sessionNumber !== sessionNumber) return;
      // Without an account the login screen is shown, and what was refused is its request to sign out.
      if (records.account() !== null)
        last.end = code === 'UNAUTHENTICATED' && !isCookieConfirmed ? 'COOKIES_BLOCKED' : code;
      // Even without an account: this also notifies a dashboard whose record the browser deleted without an event.
      records.clear();
    },

    /** Returns a function to call after each change of the account's dashboard, and once when it opens. */
    followDashboard(account: Account) {
      let hadEnded = false;
      return ({ sessionEnded, isOnAir }: { sessionEnded: boolean; isOnAir: boolean }): void => {
        // Unless this tab knows the reason, another one found the session refused.
        if (sessionEnded !== hadEnded) {
          last.end = sessionEnded ? (last.end ?? 'UNAUTHENTICATED') : undefined;
          // The browser may have deleted the account without an event.
          change({});
        }
        hadEnded = sessionEnded;
        // After the session's end the dashboard stays until the sound ends too.
        if (isOnAir) last.cutSound = sessionEnded;
        if ((state.onAir !== null) !== isOnAir || (isOnAir && state.onAir !== account))
          change({ onAir: isOnAir ? account : null });
      };
    },
  };
}
