import { readToken, type SigningKeys, signToken, type TokenClaims } from './signedJwt.ts';

const AUDIENCE = 'audio-oficial-premium/graphql';

/** The signed JWT of a session, whose id it bears. */
export function signSessionToken(claims: TokenClaims, keys: SigningKeys): string {
  return signToken(AUDIENCE, claims, keys);
}

/** What the JWT says when it is a session's, ours, whole and in time; otherwise null, whatever is wrong with it. */
export function readSessionToken(token: string, keys: SigningKeys, now: Date): TokenClaims | null {
  return readToken(AUDIENCE, token, keys, now);
}
