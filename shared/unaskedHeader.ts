/**
 * Marks, with any value, an operation that a page sends by itself, such as the creation of a token for lost sound. It
 * does not count as use of the session, which ends after 7 days without use.
 */
export const UNASKED_HEADER = 'x-unasked';
