import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { PageState } from '../page/pageState.ts';

export type Screen = 'login' | 'dashboard' | 'notFound';

export const SCREEN_PATHS: Partial<Record<Screen, string>> = { login: LOGIN_PATH, dashboard: DASHBOARD_PATH };

/**
 * Between `/` and `/dashboard` it alone decides whether the page is signed in, whichever of the two was asked for. By the
 * account on record (specification, section 6); after the session's end until its sound ends too.
 */
export function screenFor(path: string, kind: PageState['kind']): Screen {
  if (path !== LOGIN_PATH && path !== DASHBOARD_PATH) return 'notFound';
  return kind === 'signedIn' ? 'dashboard' : 'login';
}
