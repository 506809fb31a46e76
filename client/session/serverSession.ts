import { track } from '../analytics/track.ts';
import { apolloClient } from '../api/apolloClient.ts';
import type { Failure } from '../api/failure.ts';
import { failureOf } from '../api/failureOf.ts';
import { LoginDocument, LogoutDocument } from '../api/gql/graphql.ts';
import { localRecords } from './localRecords.ts';
import { pendingLogout } from './pendingLogout.ts';
import type { Account } from './storage.ts';

let logoutUnderWay = new AbortController();

/** Starts a session on the server, whose cookie the browser keeps; the one that a logout under way was to end is ended by it. */
export async function logIn(username: string, password: string): Promise<Account | Failure> {
  abandonLogout();
  try {
    const { data } = await apolloClient.mutate({
      mutation: LoginDocument,
      variables: { username, password },
    });
    if (!data) return { code: 'UNKNOWN' };
    pendingLogout.forget();
    track('login');
    return { id: data.login.id, company: data.login.company };
  } catch (error) {
    endPendingSession();
    return failureOf(error, !window.navigator.onLine);
  }
}

/**
 * Tells the server of a sign-out that is pending. One out of reach is told when the network is back, when the page is left, or when
 * this is loaded again.
 */
export function endPendingSession(keepalive = false): void {
  if (!pendingLogout.exists() || localRecords.account() !== null) return;
  abandonLogout();
  logoutUnderWay = new AbortController();
  const fetchOptions = { keepalive, signal: logoutUnderWay.signal };
  apolloClient
    .mutate({ mutation: LogoutDocument, context: { fetchOptions } })
    .then(pendingLogout.forget, () => undefined);
}

/** An answer to it that came after a login's would take that one's cookie away. */
function abandonLogout(): void {
  logoutUnderWay.abort();
}

endPendingSession();
window.addEventListener('online', () => endPendingSession());
// Only now in a request that outlives the page: Chromium lets no such one be given up.
window.addEventListener('pagehide', () => endPendingSession(true));
// Somebody may sign in in another tab.
localRecords.subscribe(() => localRecords.account() && abandonLogout());
