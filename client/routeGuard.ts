import { DASHBOARD_PATH, LOGIN_PATH } from '../shared/paths.ts';
import type { PageState } from './page/pageState.ts';

export type Screen = 'login' | 'dashboard' | 'notFound';

export const SCREEN_PATHS: Partial<Record<Screen, string>> = { login: LOGIN_PATH, dashboard: DASHBOARD_PATH };

/**
 * Shows the dashboard at `/` and `/dashboard` alike while an account is on record (specification, section 6), and after
 * the session's end until its sound ends too; otherwise the login screen.
 */
export function screenFor(path: string, kind: PageState['kind']): Screen {
  if (path !== LOGIN_PATH && path !== DASHBOARD_PATH) return 'notFound';
  return kind === 'signedIn' ? 'dashboard' : 'login';
}
