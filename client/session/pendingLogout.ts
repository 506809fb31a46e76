import { withMemoryFallback } from './storage.ts';

const KEY = 'logout_pending';

const storage = withMemoryFallback(() => window.localStorage);

/** Whether a sign-out has not reached the server yet; remembered when the page is left, as the session's cookie is. */
export const pendingLogout = {
  exists: () => storage.getItem(KEY) !== null,
  remember: () => storage.setItem(KEY, 'true'),
  forget: () => storage.removeItem(KEY),
};
