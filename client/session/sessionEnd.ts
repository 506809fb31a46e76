import { makeVar } from '@apollo/client';
import { localRecords } from './localRecords.ts';

export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

export const sessionEnd = makeVar<SessionEnd | undefined>(undefined);

/** False between a sign-in and the server's first answer, which shows whether the browser accepted the cookie. */
export const sessionRecognised = makeVar(true);

/**
 * Sets the reason in advance, when the dashboard appears: `signOut` and `endRefusedSession` overwrite it, so it stays only if the account
 * disappears because another tab signed out.
 */
export function presumeEndedElsewhere(): void {
  sessionEnd('SIGNED_OUT_ELSEWHERE');
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  if (localRecords.account() === null) return;
  sessionEnd(code === 'UNAUTHENTICATED' && !sessionRecognised() ? 'COOKIES_BLOCKED' : code);
  localRecords.clear();
}
