import { DASHBOARD_PATH, LOGIN_PATH } from '../shared/paths.ts';
import type { Account } from './session/localRecords.ts';

export type Route =
  | { screen: 'login' }
  | { screen: 'notFound' }
  | { screen: 'dashboard'; account: Account }
  | { redirectTo: typeof LOGIN_PATH | typeof DASHBOARD_PATH };

export type Screen = Extract<Route, { screen: string }>['screen'];

/** Relies on the local account record alone (specification, section 6). */
export function routeFor(path: string, account: Account | null): Route {
  if (path === LOGIN_PATH) return account ? { redirectTo: DASHBOARD_PATH } : { screen: 'login' };
  if (path === DASHBOARD_PATH) return account ? { screen: 'dashboard', account } : { redirectTo: LOGIN_PATH };
  return { screen: 'notFound' };
}
