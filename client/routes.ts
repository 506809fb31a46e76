import type { Account } from './session/storage.ts';

export const LOGIN_PATH = '/';
export const DASHBOARD_PATH = '/dashboard';

export type Route =
  | { screen: 'login' }
  | { screen: 'notFound' }
  | { screen: 'dashboard'; account: Account }
  | { redirectTo: typeof LOGIN_PATH | typeof DASHBOARD_PATH };

/** What a path shows to whom. It trusts only the local record (specification, section 6); the server trusts nothing of it. */
export function routeFor(path: string, account: Account | null): Route {
  if (path === LOGIN_PATH) return account ? { redirectTo: DASHBOARD_PATH } : { screen: 'login' };
  if (path === DASHBOARD_PATH) return account ? { screen: 'dashboard', account } : { redirectTo: LOGIN_PATH };
  if (path === `${DASHBOARD_PATH}/`) return { redirectTo: DASHBOARD_PATH };
  return { screen: 'notFound' };
}
