/**
 * Sent with any value by a page with an operation for which its partner did nothing, such as a token that replaces a lost one: it is no use
 * of the session, which ends after 7 days without use.
 */
export const UNASKED_HEADER = 'x-unasked';
