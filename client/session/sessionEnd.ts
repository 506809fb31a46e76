import { makeVar } from '@apollo/client';
import { localRecords } from './localRecords.ts';

export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';

export const sessionEnd = makeVar<SessionEnd | undefined>(undefined);

/** False between a sign-in and the first answer that shows that the browser sends the session's cookie. */
export const cookieConfirmed = makeVar(true);

/**
 * Sets the reason in advance, when the dashboard appears: `signOut` and `endRefusedSession` overwrite it, so it stays only if the account
 * disappears because another tab signed out.
 */
export function presumeEndedElsewhere(): void {
  sessionEnd('SIGNED_OUT_ELSEWHERE');
}

export function endRefusedSession(code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT'): void {
  if (localRecords.account() === null) return;
  sessionEnd(code === 'UNAUTHENTICATED' && !cookieConfirmed() ? 'COOKIES_BLOCKED' : code);
  localRecords.clear();
}
