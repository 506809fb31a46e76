import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';

/** What every JWT of ours says: its own id (`jti`, a UUID), whose it is (`sub`), since and until when, in whole seconds. */
export type TokenClaims = { id: string; accountId: string; issuedAt: Date; expiry: Date };

/** The key that signs, and all that are believed, the signing one first. */
export type SigningKeys = { current: KeyObject; believed: readonly KeyObject[] };

const ALGORITHM = 'HS256';
const ISSUER = 'audio-oficial-premium';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The one header that we sign; whatever else a header can say (`none`, `crit`, `kid`, `jwk`) is none of ours. */
const HEADER = Buffer.from(JSON.stringify({ alg: ALGORITHM, typ: 'JWT' })).toString('base64url');

/**
 * The keys of `JWT_SECRET` and, while secrets are being changed, `JWT_SECRET_PREVIOUS` (docs/decisions/0011-changing-the-secret.md).
 * Made once: handing jsonwebtoken the text costs many times a verification.
 */
export function signingKeys(secret: string, previousSecret: string | null = null): SigningKeys {
  const current = keyOf(secret);
  return { current, believed: previousSecret === null ? [current] : [current, keyOf(previousSecret)] };
}

/** A signed JWT that counts for this audience only. */
export function signToken(audience: string, claims: TokenClaims, keys: SigningKeys): string {
  const payload = { iat: toSeconds(claims.issuedAt), exp: toSeconds(claims.expiry) };
  return jwt.sign(payload, keys.current, {
    algorithm: ALGORITHM,
    issuer: ISSUER,
    audience,
    subject: claims.accountId,
    jwtid: claims.id,
  });
}

/** What the JWT says when it is ours, for this audience, whole and in time; otherwise null, whatever is wrong with it. */
export function readToken(audience: string, token: string, keys: SigningKeys, now: Date): TokenClaims | null {
  if (!token.startsWith(`${HEADER}.`)) return null;
  for (const key of keys.believed) {
    const claims = readSignedWith(key, audience, token, now);
    if (claims !== null) return claims;
  }
  return null;
}

function readSignedWith(key: KeyObject, audience: string, token: string, now: Date): TokenClaims | null {
  let payload: string | jwt.JwtPayload;
  try {
    payload = jwt.verify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      clockTimestamp: toSeconds(now),
    });
  } catch {
    return null;
  }
  if (typeof payload === 'string') return null;
  const { aud, sub, jti, iat, exp } = payload;
  // Compared here, for jsonwebtoken would take a list that has ours among others.
  if (aud !== audience) return null;
  if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null;
  if (typeof jti !== 'string' || !UUID.test(jti)) return null;
  return { id: jti, accountId: sub, issuedAt: new Date(iat * 1000), expiry: new Date(exp * 1000) };
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'));
}

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
