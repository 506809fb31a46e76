import { expect, test } from 'vitest';
import { formatServerTime, signToken, tokenRefusal } from '../../../server/demo/wmsAuthSign.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const SECRET = 'defaultpassword';
const ISSUED_MS = Date.UTC(2025, 6, 4, 15, 5, 9);
const TOKEN = signToken(SECRET, { serverTime: '7/4/2025 3:05:09 PM', validMinutes: 20, id: '1005' });
/** The hash is that of the published construction, for these terms. */
const PAYLOAD = 'server_time=7/4/2025 3:05:09 PM&hash_value=HtkypZeHXdar1H/XfxK/FA==&validminutes=20&id=1005';

const check = (token: string, nowMs = ISSUED_MS) => tokenRefusal(SECRET, token, nowMs);

test('a token has the published hash', () => {
  expect(Buffer.from(TOKEN, 'base64').toString()).toBe(PAYLOAD);
});

test.each([
  ['as it is', TOKEN],
  ['with its padding percent-encoded', TOKEN.replaceAll('=', '%3D')],
  ['without its padding', TOKEN.replaceAll('=', '')],
])('a token %s is accepted', (_what, token) => {
  expect(check(token)).toBeNull();
});

test.each([
  ['no token', ''],
  ['without its id', PAYLOAD.replace('&id=1005', '')],
  ['of other minutes', PAYLOAD.replace('validminutes=20', 'validminutes=9999')],
  ['of another hash', PAYLOAD.replace(/hash_value=[^&]*/, 'hash_value=AAAA')],
])('a token %s is refused', (_what, payload) => {
  expect(check(Buffer.from(payload).toString('base64'))).toBe('wrong hash');
});

test.each([
  [20 * MINUTE_MS, null],
  [20 * MINUTE_MS + 1, 'expired'],
  [-90_000, null],
  [-90_001, 'issued in the future'],
])('at %d ms of age a token is: %s', (ageMs, refusal) => {
  expect(check(TOKEN, ISSUED_MS + ageMs)).toBe(refusal);
});

test.each([
  [Date.UTC(2025, 11, 31, 0, 0, 0), '12/31/2025 12:00:00 AM'],
  [Date.UTC(2024, 1, 29, 12, 3, 5), '2/29/2024 12:03:05 PM'],
])('the instant %d is written %s', (epochMs, text) => {
  expect(formatServerTime(epochMs)).toBe(text);
});
