import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { Screen } from '../routeGuard.ts';

const PATHS: Record<Screen, string> = {
  login: LOGIN_PATH,
  dashboard: DASHBOARD_PATH,
  notFound: '/not-found',
};

/**
 * Returns the page fields that every event carries. Without them the Google tag would send the real address, referrer and title.
 * @param origin of our own pages
 */
export function reportedPage(screen: Screen, origin: string) {
  return { page_location: origin + PATHS[screen], page_referrer: origin, page_title: screen };
}
