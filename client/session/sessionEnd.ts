import { localRecords } from './localRecords.ts';

/** Why a session ended, unless the partner signed out in this tab. */
export type SessionEnd = 'UNAUTHENTICATED' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

let reason: SessionEnd | undefined;
let recognised = true;

/** Returns the reason for the login screen to tell; undefined at the first visit and after a sign-out in this tab. */
export function sessionEnd(): SessionEnd | undefined {
  return reason;
}

export function forgetSessionEnd(): void {
  reason = undefined;
}

/** Records that the dashboard is shown: if the account goes without a reason noted here, another tab signed out. */
export function sessionShown(): void {
  reason = 'SIGNED_OUT_ELSEWHERE';
}

/** Records a sign-in in this tab. The browser may have refused its cookie; the next operation tells. */
export function sessionStarted(): void {
  recognised = false;
}

/** Records that the server answered an operation of the session. */
export function sessionRecognised(): void {
  recognised = true;
}

/** Signs out locally after `UNAUTHENTICATED`. A session that was never recognised has lost its cookie to the browser. */
export function endRefusedSession(): void {
  if (localRecords.account() === null) return;
  reason = recognised ? 'UNAUTHENTICATED' : 'COOKIES_BLOCKED';
  localRecords.signOut();
}
