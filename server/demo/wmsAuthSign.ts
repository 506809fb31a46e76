import { createHash } from 'node:crypto';

/** How far a token's `server_time` may be ahead of the checking clock (Nimble's default). */
const FUTURE_TOLERANCE_MS = 90_000;

const MINUTE_MS = 60_000;
const PAYLOAD = /^server_time=([^&]+)&hash_value=[^&]+&validminutes=(\d{1,6})&id=([^&]+)$/;

/** The terms of a token for any address, which the provider's documentation calls pay-per-view. */
export type TokenTerms = {
  id: string;
  /** Epoch milliseconds; the token holds whole seconds. */
  issuedMs: number;
  validMinutes: number;
};

export type TokenCheck =
  | { ok: true }
  | { ok: false; reason: 'malformed' | 'wrong hash' | 'issued in the future' | 'expired' };

/** Makes a token, the part after `wmsAuthSign=` in a stream address: standard base64 with padding. */
export function signToken(key: string, { id, issuedMs, validMinutes }: TokenTerms): string {
  const serverTime = formatServerTime(issuedMs);
  const hash = createHash('md5').update(`${id}${key}${serverTime}${validMinutes}`).digest('base64');
  const payload = `server_time=${serverTime}&hash_value=${hash}&validminutes=${validMinutes}&id=${id}`;
  return Buffer.from(payload).toString('base64');
}

/**
 * Checks whether a token, as it stands in the address, opens a connection: it was signed with the key, at most 90 s in the
 * future, and is at most `validminutes` old.
 * @param nowMs epoch milliseconds
 */
export function checkToken(key: string, token: string, nowMs: number): TokenCheck {
  const unpadded = token.replaceAll(/%(2B|2F|3D)/gi, decodeURIComponent).replace(/=+$/, '');
  const [, serverTime, validMinutes, id] = PAYLOAD.exec(Buffer.from(unpadded, 'base64').toString()) ?? [];
  const issuedMs = Date.parse(`${serverTime} UTC`);
  if (id === undefined || Number.isNaN(issuedMs)) return { ok: false, reason: 'malformed' };

  const signed = signToken(key, { id, issuedMs, validMinutes: Number(validMinutes) });
  if (signed.replace(/=+$/, '') !== unpadded) return { ok: false, reason: 'wrong hash' };

  const ageMs = nowMs - issuedMs;
  if (ageMs < -FUTURE_TOLERANCE_MS) return { ok: false, reason: 'issued in the future' };
  if (ageMs > Number(validMinutes) * MINUTE_MS) return { ok: false, reason: 'expired' };
  return { ok: true };
}

/** Formats epoch milliseconds as a `server_time`: UTC, US order, 12-hour, such as `7/4/2025 3:05:09 PM`. */
function formatServerTime(epochMs: number): string {
  const time = new Date(epochMs);
  const date = `${time.getUTCMonth() + 1}/${time.getUTCDate()}/${time.getUTCFullYear()}`;
  const hour = time.getUTCHours();
  const minute = String(time.getUTCMinutes()).padStart(2, '0');
  const second = String(time.getUTCSeconds()).padStart(2, '0');
  return `${date} ${hour % 12 || 12}:${minute}:${second} ${hour < 12 ? 'AM' : 'PM'}`;
}
