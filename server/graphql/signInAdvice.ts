type SentCredentials = { jwt: string | null; key: string | null };

const HEADER = '"authorization: Bearer <jwt>", with the jwt of login or a key';

/**
 * Says how to send a session that counts, judging by what was sent, and repeats nothing of it.
 * @param authorization - the header as sent
 * @param sent - the session JWT that was found in the request, by header or cookie, or the key; it has no session
 */
export function signInAdvice(authorization: string | undefined, { jwt, key }: SentCredentials): string {
  if (key !== null) {
    return 'The key is not one for the API, has expired or was revoked: ask the operator for another';
  }
  if (jwt !== null && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)) return 'The session has ended: sign in again';
  if (authorization === undefined) return `Sign in first, and send ${HEADER}`;
  if (/^Bearer\b/i.test(authorization)) return `Send nothing but the jwt after the word Bearer: ${HEADER}`;
  if (authorization.includes(' '))
    return `Sign in first: another scheme than Bearer is no session, send ${HEADER}`;
  return `The word Bearer is missing: send ${HEADER}`;
}
