/** Names the account that the page shows. The server refuses the request if the session is of another one. */
export const ACCOUNT_HEADER = 'x-account-id';

export function accountHeaderOf(accountId: string): string {
  return encodeURIComponent(accountId);
}
