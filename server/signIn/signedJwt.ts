import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { DAY_MS, SECOND_MS } from '../../shared/durations.ts';

/** Instants are cut to whole seconds when signed. */
export type JwtClaims = {
  id: string;
  accountId: string;
  issuedAt: Date;
  expiry: Date;
  credentialsVersion?: number | undefined;
  /** Session JWTs only: true in the browser's cookie, false in the payload for a tool. */
  isBrowser?: boolean | undefined;
};

export type JwtSecrets = { current: KeyObject; accepted: readonly KeyObject[] };

/** The browser of a valid device JWT. signIn.ts decides whether it is known to the account. */
export type DeviceBrowser = { id: string; accountId: string; credentialsVersion: number };

export const AUDIENCES = {
  session: 'audio-oficial-premium/graphql',
  device: 'audio-oficial-premium/device',
} as const;

const DEVICE_LIFETIME_MS = 180 * DAY_MS;
const ALGORITHM = 'HS256';
const ISSUER = 'audio-oficial-premium';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The only header that we sign; any other (`none`, `crit`, `kid`, `jwk`) is refused before it is parsed. */
const HEADER = Buffer.from(JSON.stringify({ alg: ALGORITHM, typ: 'JWT' })).toString('base64url');

/**
 * Prepares `JWT_SECRET` and, while secrets are being changed, `JWT_SECRET_PREVIOUS` (docs/operations.md, "Rotate the
 * JWT secret"). Call once: handing jsonwebtoken the text costs many times a verification.
 */
export function jwtSecrets(secret: string, previousSecret: string | null = null): JwtSecrets {
  const current = toKeyObject(secret);
  return { current, accepted: previousSecret === null ? [current] : [current, toKeyObject(previousSecret)] };
}

export function signJwt(audience: string, claims: JwtClaims, secrets: JwtSecrets): string {
  const payload = {
    iat: toSeconds(claims.issuedAt),
    exp: toSeconds(claims.expiry),
    credentialsVersion: claims.credentialsVersion,
    browser: claims.isBrowser,
  };
  return jwt.sign(payload, secrets.current, {
    algorithm: ALGORITHM,
    issuer: ISSUER,
    audience,
    subject: claims.accountId,
    jwtid: claims.id,
  });
}

/** @param now - null: accepts an expired JWT too */
export function readJwt(
  audience: string,
  text: string,
  secrets: JwtSecrets,
  now: Date | null,
): JwtClaims | null {
  if (!text.startsWith(`${HEADER}.`)) return null;
  for (const secret of secrets.accepted) {
    const claims = readSignedWith(secret, audience, text, now);
    if (claims !== null) return claims;
  }
  return null;
}

/**
 * Marks the browser as one in which this account signed in, and gives no other right (OWASP, "Slow Down Online Guessing
 * Attacks with Device Cookies").
 * @param known - the browser if it is already known: it then keeps its id, and so its count of attempts; else null
 */
export function signDeviceJwt(
  { id: accountId, credentialsVersion }: { id: string; credentialsVersion: number },
  known: DeviceBrowser | null,
  secrets: JwtSecrets,
  now: Date,
): { jwt: string; expiry: Date } {
  const expiry = new Date(now.getTime() + DEVICE_LIFETIME_MS);
  const id = known?.id ?? randomUUID();
  const claims = { id, accountId, issuedAt: now, expiry, credentialsVersion };
  return { jwt: signJwt(AUDIENCES.device, claims, secrets), expiry };
}

export function readDeviceJwt(jwt: string, secrets: JwtSecrets, now: Date): DeviceBrowser | null {
  const claims = readJwt(AUDIENCES.device, jwt, secrets, now);
  if (claims?.credentialsVersion === undefined) return null;
  const { id, accountId, credentialsVersion } = claims;
  return { id, accountId, credentialsVersion };
}

function readSignedWith(
  secret: KeyObject,
  audience: string,
  text: string,
  now: Date | null,
): JwtClaims | null {
  let payload: string | jwt.JwtPayload;
  try {
    payload = jwt.verify(text, secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      ...(now === null ? { ignoreExpiration: true } : { clockTimestamp: toSeconds(now) }),
    });
  } catch {
    return null;
  }
  if (typeof payload === 'string') return null;
  const { aud, sub, jti, iat, exp, credentialsVersion, browser } = payload;
  // jsonwebtoken would accept a list that contains our audience among others.
  if (aud !== audience) return null;
  if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null;
  if (typeof jti !== 'string' || !UUID.test(jti)) return null;
  if (credentialsVersion !== undefined && typeof credentialsVersion !== 'number') return null;
  if (browser !== undefined && typeof browser !== 'boolean') return null;
  return {
    id: jti,
    accountId: sub,
    issuedAt: new Date(iat * SECOND_MS),
    expiry: new Date(exp * SECOND_MS),
    credentialsVersion,
    isBrowser: browser,
  };
}

function toKeyObject(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'));
}

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / SECOND_MS);
}
