import { randomUUID } from 'node:crypto';
import { readToken, type SigningKeys, signToken, type TokenClaims } from './signedJwt.ts';

const AUDIENCE = 'audio-oficial-premium/device';
const DAY_MS = 86_400_000;
const DEVICE_LIFETIME_MS = 180 * DAY_MS;

/**
 * The JWT by which a browser is known again as one in which this account signed in; it gives no other right
 * (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export function makeDeviceToken(accountId: string, keys: SigningKeys, now: Date) {
  const expiry = new Date(now.getTime() + DEVICE_LIFETIME_MS);
  const claims = { id: randomUUID(), accountId, issuedAt: now, expiry };
  return { token: signToken(AUDIENCE, claims, keys), expiry };
}

/** Which browser it is and which account signed in there; null when the token is not ours or ran out. */
export function readDeviceToken(token: string, keys: SigningKeys, now: Date): TokenClaims | null {
  return readToken(AUDIENCE, token, keys, now);
}
