import { initializeAnalytics, isSupported, logEvent, setDefaultEventParameters } from '@firebase/analytics';
import { initializeApp, setLogLevel } from '@firebase/app';
import { getInstallations, getToken } from '@firebase/installations';
import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import type { Screen } from '../routeGuard.ts';

export type SendEvent = (name: string, screen?: Screen) => void;

/**
 * Starts Firebase Analytics without advertising and without automatic page views. Where the browser does not support
 * it, the returned function does nothing.
 * @param config - the web config, as JSON
 * @throws when Firebase is out of reach or refuses the config
 */
export async function openAnalytics(config: string): Promise<SendEvent> {
  setLogLevel('silent');
  if (!(await isSupported())) return () => undefined;
  const app = initializeApp(JSON.parse(config));
  // Analytics registers the browser by itself too, but then logs a failure to the console at any log level.
  await getToken(getInstallations(app));
  const analytics = initializeAnalytics(app, {
    config: { send_page_view: false, allow_google_signals: false, allow_ad_personalization_signals: false },
  });

  let fields: ReturnType<typeof pageFields> | undefined;
  return (name, screen) => {
    if (screen) {
      fields = pageFields(screen, location.origin);
      // Applies to the events that the Google tag sends by itself.
      setDefaultEventParameters(fields);
    }
    if (fields) logEvent(analytics, name, fields);
  };
}

const PATHS: Record<Screen, string> = {
  login: LOGIN_PATH,
  dashboard: DASHBOARD_PATH,
  notFound: '/not-found',
};

function pageFields(screen: Screen, origin: string) {
  // Without these the Google tag would send the real address, referrer and title with every event.
  return { page_location: origin + PATHS[screen], page_referrer: origin, page_title: screen };
}
