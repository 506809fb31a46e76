import { DASHBOARD_PATH, LOGIN_PATH } from '../shared/paths.ts';
import type { Account } from './page/records.ts';

export type Screen = 'login' | 'dashboard' | 'notFound';

export const SCREEN_PATHS: Partial<Record<Screen, string>> = { login: LOGIN_PATH, dashboard: DASHBOARD_PATH };

/**
 * Between `/` and `/dashboard` the account alone decides, whichever of the two was asked for.
 * @param account - the one of the local record (specification, section 6); without it the one whose sound is on air,
 *   which keeps its dashboard until the sound ends
 */
export function screenFor(path: string, account: Account | null): Screen {
  if (path !== LOGIN_PATH && path !== DASHBOARD_PATH) return 'notFound';
  return account ? 'dashboard' : 'login';
}
