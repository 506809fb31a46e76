import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { Screen } from '../routing/routeGuard.ts';

const PATHS: Record<Screen, string> = {
  login: LOGIN_PATH,
  dashboard: DASHBOARD_PATH,
  notFound: '/not-found',
};

export function pageFields(screen: Screen, origin: string) {
  // Without these the Google tag would send the real address, referrer and title with every event.
  return { page_location: origin + PATHS[screen], page_referrer: origin, page_title: screen };
}
