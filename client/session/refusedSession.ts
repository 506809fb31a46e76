import { localRecords } from './localRecords.ts';

let refused = false;

/** Signs out locally after `UNAUTHENTICATED`; the login screen then says why. */
export function endRefusedSession(): void {
  if (localRecords.account() === null) return;
  refused = true;
  localRecords.signOut();
}

/** Returns whether the server ended the last session in this tab. */
export function sessionWasRefused(): boolean {
  return refused;
}

export function forgetRefusal(): void {
  refused = false;
}
