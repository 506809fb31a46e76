/** Why a session ended, unless the partner signed out in this tab. */
export type SessionEnd =
  | 'UNAUTHENTICATED'
  | 'OTHER_ACCOUNT'
  | 'COOKIES_BLOCKED'
  | 'COOKIES_DELETED'
  | 'SIGNED_OUT_ELSEWHERE';
