import type { Screen } from './track.ts';

const PATHS: Record<Screen, string> = { login: '/', dashboard: '/dashboard', notFound: '/not-found' };

/**
 * What the Google tag is told of a page. Left to itself it would send the real address, referrer and title, whatever
 * they hold.
 * @param origin of our own pages
 */
export function reportedPage(screen: Screen, origin: string) {
  return { page_location: origin + PATHS[screen], page_referrer: origin, page_title: screen };
}
