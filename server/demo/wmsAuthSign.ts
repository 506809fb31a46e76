import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../shared/durations.ts';

/** The most that a token's `server_time` may be ahead of the checking clock (Nimble's default). */
const FUTURE_TOLERANCE_MS = 90_000;

const PAYLOAD =
  /^server_time=(?<serverTime>.*)&hash_value=.*&validminutes=(?<validMinutes>\d{1,6})&id=(?<id>.*)$/;

type TokenTerms = {
  id: string;
  serverTime: string;
  validMinutes: number;
};

export type Refusal = 'wrong hash' | 'issued in the future' | 'expired';

/** Formats epoch milliseconds as a `server_time`: UTC, US order, 12-hour, such as `7/4/2025 3:05:09 PM`. */
export function formatServerTime(epochMs: number): string {
  return new Date(epochMs)
    .toLocaleString('en-US', { timeZone: 'UTC' })
    .replace(',', '')
    .replace('\u202f', ' ');
}

export function signToken(secret: string, terms: TokenTerms): string {
  return Buffer.from(signedPayload(secret, terms)).toString('base64');
}

/**
 * Returns why a token, as it stands in the address, opens no connection; null when it does: it was signed with this
 * secret, at most 90 s in the future, and is at most `validminutes` old. Players may percent-encode it and drop its
 * padding.
 * @param nowMs - epoch milliseconds
 */
export function tokenRefusal(secret: string, token: string, nowMs: number): Refusal | null {
  const payload = Buffer.from(token.replaceAll(/%(2B|2F|3D)/gi, decodeURIComponent), 'base64').toString();
  const { id = '', serverTime = '', validMinutes = '' } = PAYLOAD.exec(payload)?.groups ?? {};
  const terms = { id, serverTime, validMinutes: Number(validMinutes) };
  if (payload !== signedPayload(secret, terms)) return 'wrong hash';
  const ageMs = nowMs - Date.parse(`${serverTime} UTC`);
  if (ageMs < -FUTURE_TOLERANCE_MS) return 'issued in the future';
  return ageMs > terms.validMinutes * MINUTE_MS ? 'expired' : null;
}

/** Hashes `[id]secret server_time validminutes`, without separators, with MD5 (Nimble's construction for pay-per-view). */
function signedPayload(secret: string, { id, serverTime, validMinutes }: TokenTerms): string {
  const hash = createHash('md5').update(`${id}${secret}${serverTime}${validMinutes}`).digest('base64');
  return `server_time=${serverTime}&hash_value=${hash}&validminutes=${validMinutes}&id=${id}`;
}
