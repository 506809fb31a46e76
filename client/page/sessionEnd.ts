/** Why a session ended, unless the partner signed out in this tab. */
export type SessionEnd = 'UNAUTHENTICATED' | 'OTHER_ACCOUNT' | 'COOKIES_BLOCKED' | 'SIGNED_OUT_ELSEWHERE';
