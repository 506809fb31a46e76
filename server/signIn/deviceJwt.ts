import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../../shared/durations.ts';
import { AUDIENCES, type JwtSecrets, readJwt, signJwt } from './signedJwt.ts';

/** The browser of a valid device JWT. signIn.ts decides whether it is known to the account. */
export type DeviceBrowser = { id: string; accountId: string; credentialsVersion: number };

const DEVICE_LIFETIME_MS = 180 * DAY_MS;

/**
 * Signs the device JWT, which marks the browser as one in which this account signed in and gives no other right
 * (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
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
