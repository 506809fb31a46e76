import { initializeAnalytics, isSupported, logEvent, setDefaultEventParameters } from '@firebase/analytics';
import { initializeApp, setLogLevel } from '@firebase/app';
import { getInstallations, getToken } from '@firebase/installations';
import type { Screen } from '../routeGuard.ts';
import { reportedPage } from './reportedPage.ts';

export type Report = (name: string, screen?: Screen) => void;

/**
 * Starts Firebase Analytics with the web config, given as JSON, without advertising and without automatic page views.
 * In a browser that does not support it, the returned function does nothing.
 * @throws when Firebase is out of reach or refuses the config
 */
export async function openReports(config: string): Promise<Report> {
  setLogLevel('silent');
  if (!(await isSupported())) return () => undefined;
  const app = initializeApp(JSON.parse(config));
  // Analytics registers the browser by itself too, but then logs a failure to the console at any log level.
  await getToken(getInstallations(app));
  const analytics = initializeAnalytics(app, {
    config: { send_page_view: false, allow_google_signals: false, allow_ad_personalization_signals: false },
  });

  let page: ReturnType<typeof reportedPage> | undefined;
  return (name, screen) => {
    if (screen) {
      page = reportedPage(screen, location.origin);
      // Applies to the events that the Google tag sends by itself.
      setDefaultEventParameters(page);
    }
    if (page) logEvent(analytics, name, page);
  };
}
