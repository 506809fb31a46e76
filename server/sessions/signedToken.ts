import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';

/** What every JWT of ours says: its own id (`jti`, a UUID), whose it is (`sub`), until when. */
export type TokenClaims = { id: string; accountId: string; expiry: Date };

const ALGORITHM = 'HS256';
const ISSUER = 'audio-oficial-premium';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A signed JWT that counts for this audience only; `expiry` counts in whole seconds, as JWTs do. */
export function signToken(audience: string, claims: TokenClaims, key: KeyObject, now: Date): string {
  const payload = { iat: toSeconds(now), exp: toSeconds(claims.expiry) };
  return jwt.sign(payload, key, {
    algorithm: ALGORITHM,
    issuer: ISSUER,
    audience,
    subject: claims.accountId,
    jwtid: claims.id,
  });
}

/** What the JWT says when it is ours, for this audience, whole and in time; otherwise null, whatever is wrong with it. */
export function readToken(audience: string, token: string, key: KeyObject, now: Date): TokenClaims | null {
  let payload: string | jwt.JwtPayload;
  try {
    payload = jwt.verify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience,
      clockTimestamp: toSeconds(now),
    });
  } catch {
    return null;
  }
  if (typeof payload === 'string') return null;
  const { sub, jti, exp } = payload;
  if (typeof sub !== 'string' || typeof exp !== 'number') return null;
  if (typeof jti !== 'string' || !UUID.test(jti)) return null;
  return { id: jti, accountId: sub, expiry: new Date(exp * 1000) };
}

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
