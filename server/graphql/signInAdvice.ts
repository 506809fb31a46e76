type SentCredentials = { jwt: string | null; key: string | null };

const HEADER = '"authorization: Bearer <jwt>", with the jwt of login or a key';

/**
 * Says how to send a valid session, depending on how this request sent one; repeats nothing of the request.
 * @param authorization - the header as sent
 * @param sent - the JWT or key found in the header or cookie, which has no session
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
