import { createSecretKey, type KeyObject } from 'node:crypto';
import { readToken, signToken } from './signedToken.ts';

/** What a session's JWT says: which session (`jti`), whose (`sub`), until when. */
export type SessionClaims = { sessionId: string; accountId: string; expiry: Date };

const AUDIENCE = 'audio-oficial-premium/graphql';

/** The key that signs sessions. Made once: handing jsonwebtoken the text costs many times a verification. */
export function sessionKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'));
}

/** The signed JWT of a session; `expiry` counts in whole seconds, as JWTs do. */
export function signSessionToken(claims: SessionClaims, key: KeyObject, now: Date): string {
  const { sessionId, accountId, expiry } = claims;
  return signToken(AUDIENCE, { id: sessionId, accountId, expiry }, key, now);
}

/** What the JWT says when it is ours, whole and in time; otherwise null, whatever is wrong with it. */
export function readSessionToken(token: string, key: KeyObject, now: Date): SessionClaims | null {
  const claims = readToken(AUDIENCE, token, key, now);
  return claims && { sessionId: claims.id, accountId: claims.accountId, expiry: claims.expiry };
}
