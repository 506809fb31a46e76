import { loadApi, loadedApi } from '../api/loadApi.ts';
import { localRecords } from './localRecords.ts';
import { pendingLogout } from './pendingLogout.ts';

/** Signs out here at once; the server is told without waiting for it. */
export function signOut(): void {
  pendingLogout.remember();
  localRecords.signOut();
  const api = loadedApi();
  if (api) api.endPendingSession();
  // What is loaded sees to it.
  else loadApi().catch(() => undefined);
}
