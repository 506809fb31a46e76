import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { Screen } from '../routeGuard.ts';

const PATHS: Record<Screen, string> = {
  login: LOGIN_PATH,
  dashboard: DASHBOARD_PATH,
  notFound: '/not-found',
};

/**
 * Without these fields in every event the Google tag would send the real address, referrer and title.
 * @param origin of our own pages
 */
export function reportedPage(screen: Screen, origin: string) {
  return { page_location: origin + PATHS[screen], page_referrer: origin, page_title: screen };
}
