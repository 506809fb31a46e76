import { createHash, timingSafeEqual } from 'node:crypto';

/** The most that a token's `server_time` may be ahead of the checking clock (Nimble's default). */
const FUTURE_TOLERANCE_MS = 90_000;

const MINUTE_MS = 60_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const WHOLE_NUMBER = /^\d{1,6}$/;
const SERVER_TIME = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\s+(\d{1,2}):(\d{1,2}):(\d{1,2})\s*([AP])M$/i;

type TokenTerms = {
  id: string;
  /** The text of `formatServerTime`, hashed literally. */
  serverTime: string;
  validMinutes: number;
};

export type Refusal = 'malformed' | 'wrong hash' | 'issued in the future' | 'expired';

/** Formats epoch milliseconds as a `server_time`: UTC, US order, 12-hour, such as `7/4/2025 3:05:09 PM`. */
export function formatServerTime(epochMs: number): string {
  const time = new Date(epochMs);
  const date = `${time.getUTCMonth() + 1}/${time.getUTCDate()}/${time.getUTCFullYear()}`;
  const hour = time.getUTCHours();
  const minute = String(time.getUTCMinutes()).padStart(2, '0');
  const second = String(time.getUTCSeconds()).padStart(2, '0');
  return `${date} ${hour % 12 || 12}:${minute}:${second} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** Parses a `server_time`, with padded numbers or not, into epoch milliseconds; undefined when it is not a real instant. */
export function parseServerTime(text: string): number | undefined {
  const match = SERVER_TIME.exec(text);
  if (!match) return undefined;
  const [month = 0, day = 0, year = 0, hour12 = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (hour12 < 1 || hour12 > 12 || minute > 59 || second > 59) return undefined;

  const hour = (hour12 % 12) + (match[7]?.toUpperCase() === 'P' ? 12 : 0);
  const epochMs = Date.UTC(year, month - 1, day, hour, minute, second);
  return new Date(epochMs).getUTCMonth() === month - 1 ? epochMs : undefined;
}

export function signToken(key: string, { id, serverTime, validMinutes }: TokenTerms): string {
  const hash = digest(key, { id, serverTime, validMinutes: String(validMinutes) }).toString('base64');
  return Buffer.from(
    `server_time=${serverTime}&hash_value=${hash}&validminutes=${validMinutes}&id=${id}`,
  ).toString('base64');
}

/**
 * Returns why a token, as it stands in the address, opens no connection; null when it does: its hash is the key's, it was issued at
 * most 90 s in the future, and it is at most `validminutes` old.
 * @param nowMs - epoch milliseconds
 */
export function tokenRefusal(key: string, token: string, nowMs: number): Refusal | null {
  const payload = readPayload(token);
  const id = payload?.get('id');
  const serverTime = payload?.get('server_time');
  const hash = decodeBase64(payload?.get('hash_value'));
  const validMinutes = payload?.get('validminutes');
  if (id === undefined || serverTime === undefined || !hash || validMinutes === undefined) return 'malformed';
  const issuedMs = parseServerTime(serverTime);
  if (issuedMs === undefined || !WHOLE_NUMBER.test(validMinutes)) return 'malformed';

  const expected = digest(key, { id, serverTime, validMinutes });
  if (hash.length !== expected.length || !timingSafeEqual(hash, expected)) return 'wrong hash';

  const ageMs = nowMs - issuedMs;
  if (ageMs < -FUTURE_TOLERANCE_MS) return 'issued in the future';
  if (ageMs > Number(validMinutes) * MINUTE_MS) return 'expired';
  return null;
}

/** MD5 over `[id]key server_time validminutes`, without separators (Nimble's construction for pay-per-view). */
function digest(
  key: string,
  { id, serverTime, validMinutes }: { id: string; serverTime: string; validMinutes: string },
): Buffer {
  return createHash('md5').update(`${id}${key}${serverTime}${validMinutes}`).digest();
}

/** Parses the payload without URLSearchParams, which would turn a `+` of the hash into a space. Refuses repeated parameters. */
function readPayload(token: string): Map<string, string> | undefined {
  const text = decodeBase64(token)?.toString();
  if (text === undefined) return undefined;
  const payload = new Map<string, string>();
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    if (payload.has(name)) return undefined;
    payload.set(name, at < 0 ? '' : pair.slice(at + 1));
  }
  return payload;
}

/** Decodes strictly, so that a token has one spelling, apart from percent-encoding and dropped padding. */
function decodeBase64(text = ''): Buffer | undefined {
  const plain = text.replaceAll(/%(2B|2F|3D)/gi, decodeURIComponent);
  if (plain === '' || !BASE64.test(plain)) return undefined;
  const bytes = Buffer.from(plain, 'base64');
  const isCanonical = bytes.toString('base64').replace(/=+$/, '') === plain.replace(/=+$/, '');
  return isCanonical ? bytes : undefined;
}
