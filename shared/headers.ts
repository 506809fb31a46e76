/** Names the account that the page shows. The server refuses the request if the session is of another one. */
export const ACCOUNT_HEADER = 'x-account-id';

export function accountHeaderOf(accountId: string): string {
  return encodeURIComponent(accountId);
}

/**
 * Carries the id of the session: in the server's answers, because a page cannot read the session's cookie, and in a
 * sign-out, so that it ends no other session. Not a secret: the id gives no access.
 */
export const SESSION_HEADER = 'x-session-id';

/**
 * Marks, with any value, an operation that a page sends by itself, such as the creation of a token for lost sound. It
 * does not count as use of the session, which ends after 14 days without use.
 */
export const UNASKED_HEADER = 'x-unasked';
