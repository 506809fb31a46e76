import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';

/** What a session's JWT says: which session (`jti`), whose (`sub`), until when. */
export type SessionClaims = { sessionId: string; accountId: string; expiry: Date };

const ALGORITHM = 'HS256';
const ISSUER = 'audio-oficial-premium';
const AUDIENCE = 'audio-oficial-premium/graphql';

/** The key that signs sessions. Made once: handing jsonwebtoken the text costs many times a verification. */
export function sessionKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'));
}

/** The signed JWT of a session; `expiry` counts in whole seconds, as JWTs do. */
export function signSessionToken(claims: SessionClaims, key: KeyObject, now: Date): string {
  const payload = { iat: toSeconds(now), exp: toSeconds(claims.expiry) };
  return jwt.sign(payload, key, {
    algorithm: ALGORITHM,
    issuer: ISSUER,
    audience: AUDIENCE,
    subject: claims.accountId,
    jwtid: claims.sessionId,
  });
}

/** What the JWT says when it is ours, whole and in time; otherwise null, whatever is wrong with it. */
export function readSessionToken(token: string, key: KeyObject, now: Date): SessionClaims | null {
  let payload: string | jwt.JwtPayload;
  try {
    payload = jwt.verify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      clockTimestamp: toSeconds(now),
    });
  } catch {
    return null;
  }
  if (typeof payload === 'string') return null;
  const { sub, jti, exp } = payload;
  if (typeof sub !== 'string' || typeof exp !== 'number') return null;
  if (typeof jti !== 'string' || !UUID.test(jti)) return null;
  return { sessionId: jti, accountId: sub, expiry: new Date(exp * 1000) };
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
