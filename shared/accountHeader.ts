/**
 * The request header by which the page names the account that it shows. The server refuses the request if the session is of another
 * account, as after a sign-in by a script in the same browser.
 */
export const ACCOUNT_HEADER = 'x-account-id';

/** Returns the header's value for an account's id, which may hold characters that a header may not. */
export function accountHeaderOf(accountId: string): string {
  return encodeURIComponent(accountId);
}
