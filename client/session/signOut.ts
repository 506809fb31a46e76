import { localRecords } from './localRecords.ts';
import { pendingLogout } from './pendingLogout.ts';

/** Signs out of this browser at once. The login screen, which is shown next, tells the server (client/login/usePendingLogout.ts). */
export function signOut(): void {
  pendingLogout.remember();
  localRecords.signOut();
}
