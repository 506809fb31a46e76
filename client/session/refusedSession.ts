import { localRecords } from './localRecords.ts';

let refused = false;

/** The server's word that the session is over: so it is here too, and the login screen, which the guard then shows, says why. */
export function endRefusedSession(): void {
  if (localRecords.account() === null) return;
  refused = true;
  localRecords.signOut();
}

/** Whether the server ended the last session in this tab. */
export function sessionWasRefused(): boolean {
  return refused;
}

export function forgetRefusal(): void {
  refused = false;
}
