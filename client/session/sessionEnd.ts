import { localRecords } from './localRecords.ts';

/** Why a session ended, unless the partner signed out in this tab. */
export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

let reason: SessionEnd | undefined;
let recognised = true;

/** Returns why the session ended, for the login screen; undefined at the first visit and after a sign-out in this tab. */
export function sessionEnd(): SessionEnd | undefined {
  return reason;
}

export function forgetSessionEnd(): void {
  reason = undefined;
}

/** Records that the dashboard is shown. If the account then disappears without another recorded reason, another tab signed out. */
export function sessionShown(): void {
  reason = 'SIGNED_OUT_ELSEWHERE';
}

/** Records a sign-in in this tab. Only the next operation shows whether the browser accepted the cookie. */
export function sessionStarted(): void {
  recognised = false;
}

/** Records that the server answered an operation of the session. */
export function sessionRecognised(): void {
  recognised = true;
}

/**
 * Signs out locally after the server refused the session. If the server never recognised the session, the browser refused its
 * cookie.
 */
export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  if (localRecords.account() === null) return;
  reason = code === 'UNAUTHENTICATED' && !recognised ? 'COOKIES_BLOCKED' : code;
  localRecords.clear();
}
