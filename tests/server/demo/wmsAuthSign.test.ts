import { describe, expect, test } from 'vitest';
import { checkToken, signToken } from '../../../server/demo/wmsAuthSign.ts';

const KEY = 'defaultpassword';
const ISSUED_MS = Date.UTC(2025, 6, 4, 15, 5, 9);
const TERMS = { issuedMs: ISSUED_MS, validMinutes: 20 };
const TOKEN = signToken(KEY, { ...TERMS, id: '1005' });

const check = (token: string, nowMs = ISSUED_MS) => checkToken(KEY, token, nowMs);
const encode = (payload: string) => Buffer.from(payload).toString('base64');
const decode = (token: string) => Buffer.from(token, 'base64').toString();
const changed = (from: string | RegExp, to: string) => encode(decode(TOKEN).replace(from, to));
const refusal = (reason: string) => ({ ok: false, reason });

test('a token is the base64 of its parameters, with the hash of the published construction', () => {
  expect(decode(TOKEN)).toBe(
    'server_time=7/4/2025 3:05:09 PM&hash_value=HtkypZeHXdar1H/XfxK/FA==&validminutes=20&id=1005',
  );
});

test.each([
  [Date.UTC(2025, 11, 31, 0, 0, 0), '12/31/2025 12:00:00 AM'],
  [Date.UTC(2024, 1, 29, 12, 30, 59), '2/29/2024 12:30:59 PM'],
  [Date.UTC(2025, 0, 1, 11, 59, 0), '1/1/2025 11:59:00 AM'],
])('the instant %d is written %s, in UTC, and read back', (issuedMs, text) => {
  const token = signToken(KEY, { ...TERMS, issuedMs, id: '1005' });
  expect(decode(token)).toContain(`server_time=${text}&`);
  expect(check(token, issuedMs)).toEqual({ ok: true });
});

test.each(['1', '12', '123'])('padding may be percent-encoded or dropped (id %s)', (id) => {
  const token = signToken(KEY, { ...TERMS, id });
  for (const spelling of [token, token.replaceAll('=', '%3D'), token.replaceAll('=', '')]) {
    expect(check(spelling)).toEqual({ ok: true });
  }
});

describe('a token is refused', () => {
  test.each([
    ['empty', ''],
    ['no base64', 'no token at all'],
    ['of percent signs that encode nothing', '%E0%A4%A'],
    ['base64 of something else', encode('hello')],
    ['without its time', changed(/server_time=[^&]*&/, '')],
    ['with minutes that are no number', changed('validminutes=20', 'validminutes=2e9')],
    ['with a month that is none', changed('7/4/2025', '13/4/2025')],
  ])('that is %s', (_what, token) => {
    expect(check(token)).toEqual(refusal('malformed'));
  });

  test.each([
    ['its minutes', changed('validminutes=20', 'validminutes=9999')],
    ['its time', changed('3:05:09', '3:05:10')],
    ['its id', changed('id=1005', 'id=1006')],
    ['a shorter hash', changed(/hash_value=[^&]*/, 'hash_value=AAAA')],
  ])('after a change of %s', (_what, token) => {
    expect(check(token)).toEqual(refusal('wrong hash'));
  });

  test('of another key', () => {
    expect(checkToken('another key', TOKEN, ISSUED_MS)).toEqual(refusal('wrong hash'));
  });

  test('after its minutes, to the millisecond', () => {
    expect(check(TOKEN, ISSUED_MS + 20 * 60_000)).toEqual({ ok: true });
    expect(check(TOKEN, ISSUED_MS + 20 * 60_000 + 1)).toEqual(refusal('expired'));
  });

  test('when it comes from more than 90 seconds ahead', () => {
    expect(check(TOKEN, ISSUED_MS - 90_000)).toEqual({ ok: true });
    expect(check(TOKEN, ISSUED_MS - 90_001)).toEqual(refusal('issued in the future'));
  });
});
