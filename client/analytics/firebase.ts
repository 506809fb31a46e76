import { initializeAnalytics, isSupported, logEvent, setDefaultEventParameters } from 'firebase/analytics';
import { initializeApp, setLogLevel } from 'firebase/app';
import { getInstallations, getToken } from 'firebase/installations';
import { reportedPage } from './reportedPage.ts';
import type { Report } from './track.ts';

/**
 * Opens Firebase Analytics with the web config, given as JSON. It reports nothing by itself but what the page is told to be,
 * and does without advertising. Where the browser cannot keep what it needs, the reports go nowhere.
 * @throws when Firebase is out of reach or refuses the config
 */
export async function openReports(config: string): Promise<Report> {
  setLogLevel('silent');
  if (!(await isSupported())) return () => undefined;
  const app = initializeApp(JSON.parse(config));
  // Analytics would register the browser too, but write a failure to the console whatever the log level.
  await getToken(getInstallations(app));
  const analytics = initializeAnalytics(app, {
    config: { send_page_view: false, allow_google_signals: false, allow_ad_personalization_signals: false },
  });

  let page: ReturnType<typeof reportedPage> | undefined;
  return (name, screen) => {
    if (screen) {
      page = reportedPage(screen, location.origin);
      // For what the tag sends of its own accord.
      setDefaultEventParameters(page);
    }
    if (page) logEvent(analytics, name, page);
  };
}
