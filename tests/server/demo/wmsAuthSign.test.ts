import { describe, expect, test } from 'vitest';
import {
  formatServerTime,
  parseServerTime,
  signToken,
  tokenRefusal,
} from '../../../server/demo/wmsAuthSign.ts';

const KEY = 'defaultpassword';
const SERVER_TIME = '7/4/2025 3:05:09 PM';
const ISSUED_MS = Date.UTC(2025, 6, 4, 15, 5, 9);
const MINUTE_MS = 60_000;
const TERMS = { serverTime: SERVER_TIME, validMinutes: 20, id: '1005' };
/** Of the published construction, for these terms. */
const HASH = 'HtkypZeHXdar1H/XfxK/FA==';
const TOKEN = signToken(KEY, TERMS);

const check = (token: string, nowMs = ISSUED_MS) => tokenRefusal(KEY, token, nowMs);
const encode = (payload: string) => Buffer.from(payload).toString('base64');
const decode = (token: string) => Buffer.from(token, 'base64').toString();
const changed = (from: string | RegExp, to: string) => encode(decode(TOKEN).replace(from, to));

test('a token has the published hash', () => {
  expect(decode(TOKEN)).toBe(`server_time=${SERVER_TIME}&hash_value=${HASH}&validminutes=20&id=1005`);
  expect(check(TOKEN)).toBeNull();
});

describe('a token is accepted', () => {
  test('with its parameters in any order', () => {
    const payload = `validminutes=20&other=1&server_time=${SERVER_TIME}&id=1005&hash_value=${HASH}`;
    expect(check(encode(payload))).toBeNull();
  });

  test('with padding percent-encoded or dropped', () => {
    for (const spelling of [TOKEN.replaceAll('=', '%3D'), TOKEN.replaceAll('=', '')]) {
      expect(check(spelling)).toBeNull();
    }
  });

  test.each(['07/04/2025 03:05:09 PM', '7/4/2025 3:5:9\u202fpm'])('with the time as %s', (serverTime) => {
    const token = signToken(KEY, { ...TERMS, serverTime });
    expect(check(token)).toBeNull();
    expect(check(encode(decode(token).replace(serverTime, SERVER_TIME)))).toBe('wrong hash');
  });
});

describe('a token is refused', () => {
  test.each([
    ['not base64', '-_-_'],
    ['without its id', changed('&id=1005', '')],
    ['with a parameter given twice', changed('id=1005', 'id=1005&id=1005')],
    ['with minutes that are not a number', changed('validminutes=20', 'validminutes=2e9')],
    ['with a 30th of February', changed('7/4/2025', '2/30/2025')],
    ['with an hour of 15 PM', changed('3:05:09', '15:05:09')],
  ])('that is %s', (_what, token) => {
    expect(check(token)).toBe('malformed');
  });

  test.each([
    ['its minutes', changed('validminutes=20', 'validminutes=9999')],
    ['its hash', changed(/hash_value=[^&]*/, 'hash_value=AAAA')],
  ])('after a change of %s', (_what, token) => {
    expect(check(token)).toBe('wrong hash');
  });

  test.each([
    [20 * MINUTE_MS, null],
    [20 * MINUTE_MS + 1, 'expired'],
    [-90_000, null],
    [-90_001, 'issued in the future'],
  ])('at %d ms of age: %s', (ageMs, refusal) => {
    expect(check(TOKEN, ISSUED_MS + ageMs)).toBe(refusal);
  });
});

test.each([
  [Date.UTC(2025, 11, 31, 0, 0, 0), '12/31/2025 12:00:00 AM'],
  [Date.UTC(2024, 1, 29, 12, 3, 5), '2/29/2024 12:03:05 PM'],
])('the instant %d is written %s', (epochMs, text) => {
  expect(formatServerTime(epochMs)).toBe(text);
  expect(parseServerTime(text)).toBe(epochMs);
});
