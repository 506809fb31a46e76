import { track } from '../analytics/track.ts';
import type { Failure } from '../failure.ts';
import { LoginDocument, LogoutDocument } from '../gql/graphql.ts';
import { localRecords } from '../localRecords.ts';
import { pendingLogout } from '../pendingLogout.ts';
import type { Account } from '../storage.ts';
import { apolloClient } from './apolloClient.ts';
import { failureOf } from './failureOf.ts';

const LOGOUT_WAIT_MS = 2_000;

let logoutUnderWay: Promise<unknown> = Promise.resolve();

/** Starts a session on the server, whose cookie the browser keeps. */
export async function logIn(username: string, password: string): Promise<Account | Failure> {
  // An answer to the last logout that came after this login's would take its cookie away again.
  await Promise.race([logoutUnderWay, wait(LOGOUT_WAIT_MS)]);
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
    return failureOf(error, !window.navigator.onLine);
  }
}

/** Tells the server, even while the page is being left. One out of reach is told when the network is back, or when this is loaded again. */
export function endSession(): void {
  logoutUnderWay = apolloClient
    .mutate({ mutation: LogoutDocument, context: { fetchOptions: { keepalive: true } } })
    .then(pendingLogout.forget, pendingLogout.remember);
}

function endPendingSession(): void {
  if (pendingLogout.exists() && localRecords.account() === null) endSession();
}

endPendingSession();
window.addEventListener('online', endPendingSession);

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
