/**
 * Names the session of a cookie, for a page, which cannot read the cookie: the server's answers carry it, and a sign-out
 * sends it back. No secret: it opens nothing.
 */
export const SESSION_HEADER = 'x-session-id';
