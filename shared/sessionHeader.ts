/**
 * Carries the id of the session: in the server's answers, because a page cannot read the session's cookie, and in a
 * sign-out, so that it ends no other session. Not a secret: the id gives no access.
 */
export const SESSION_HEADER = 'x-session-id';
