import { describe, expect, test } from 'vitest';
import {
  FUTURE_TOLERANCE_MS,
  formatServerTime,
  hashValue,
  parseServerTime,
  signToken,
  tokenRefusal,
} from '../../../server/demo/wmsAuthSign.ts';

const KEY = 'defaultpassword';
const SERVER_TIME = '7/4/2025 3:05:09 PM';
const ISSUED_MS = Date.UTC(2025, 6, 4, 15, 5, 9);
const MINUTE_MS = 60_000;
const IP = '203.0.113.7';
const LISTENER = { clientIp: IP, stream: 'live/radio' };
const ELSEWHERE = { clientIp: '198.51.100.9', stream: 'live/radio' };
const TERMS = { serverTime: SERVER_TIME, validMinutes: 20 };

const check = (token: string, connection = LISTENER, nowMs = ISSUED_MS) =>
  tokenRefusal(KEY, token, connection, nowMs);
const encode = (payload: string) => Buffer.from(payload).toString('base64');
const decode = (token: string) => Buffer.from(token, 'base64').toString();

describe('the hash is that of the published construction', () => {
  test.each([
    ['the address', { ip: IP }, 'wcwR9HKskYP6XAcdqy1ATw=='],
    ['an id', { id: '1005' }, 'HtkypZeHXdar1H/XfxK/FA=='],
    ['the address and an id', { ip: IP, id: '1005' }, 'ifQp4K/6vBjXK2qdp8lb3g=='],
    ['an id and a stream', { id: '1005', signedStream: 'live/radio' }, 'R7sws19NIY46E2qhP3wZng=='],
  ])('over %s', (_what, parts, expected) => {
    expect(hashValue(KEY, { ...parts, serverTime: SERVER_TIME, validMinutes: '20' })).toBe(expected);
  });
});

describe('a signed token', () => {
  test('is the base64 of its parameters', () => {
    expect(decode(signToken(KEY, { ...TERMS, id: '1005', signedStream: 'live/radio' }))).toBe(
      'server_time=7/4/2025 3:05:09 PM&hash_value=R7sws19NIY46E2qhP3wZng==&validminutes=20&strm_len=10&id=1005',
    );
  });

  test('for an address opens connections from that address only', () => {
    const token = signToken(KEY, { ...TERMS, ip: IP });
    expect(decode(token)).not.toContain('checkip');
    expect(check(token)).toBeNull();
    expect(check(token, ELSEWHERE)).toBe('wrong hash');
  });

  test('for an id opens connections from anywhere', () => {
    const token = signToken(KEY, { ...TERMS, id: '1005' });
    expect(check(token)).toBeNull();
    expect(check(token, ELSEWHERE)).toBeNull();
  });

  test('for an id and an address says that the address counts, and it does', () => {
    const token = signToken(KEY, { ...TERMS, id: '1005', ip: IP });
    expect(decode(token)).toContain('&checkip=true');
    expect(check(token)).toBeNull();
    expect(check(token, ELSEWHERE)).toBe('wrong hash');
  });

  test('for the beginning of a stream path opens every stream that begins so, and no other', () => {
    const token = signToken(KEY, { ...TERMS, ip: IP, signedStream: 'live/' });
    expect(check(token, { clientIp: IP, stream: 'live/radio' })).toBeNull();
    expect(check(token, { clientIp: IP, stream: 'live/other' })).toBeNull();
    expect(check(token, { clientIp: IP, stream: 'vod/radio' })).toBe('wrong hash');
    expect(check(token, { clientIp: IP, stream: 'liv' })).toBe('wrong hash');
  });
});

describe('a token is accepted however its tool spelled it', () => {
  const HASH = 'HtkypZeHXdar1H/XfxK/FA==';

  test.each([
    `server_time=${SERVER_TIME}&hash_value=${HASH}&validminutes=20&id=1005`,
    `id=1005&validminutes=20&hash_value=${HASH}&server_time=${SERVER_TIME}`,
    `hash_value=${HASH}&id=1005&server_time=${SERVER_TIME}&validminutes=20`,
    `validminutes=20&checkip=false&other=1&server_time=${SERVER_TIME}&id=1005&hash_value=${HASH}`,
  ])('parameters in any order: %s', (payload) => {
    expect(check(encode(payload))).toBeNull();
  });

  test('padding of the hash or of the token whole, percent-encoded or dropped', () => {
    for (const hash of [HASH, 'HtkypZeHXdar1H/XfxK/FA%3D%3d', 'HtkypZeHXdar1H/XfxK/FA']) {
      const payload = `server_time=${SERVER_TIME}&hash_value=${hash}&validminutes=20&id=1005`;
      expect(check(encode(payload))).toBeNull();
    }
    const token = ['1', '12', '123']
      .map((id) => signToken(KEY, { ...TERMS, id }))
      .find((candidate) => candidate.endsWith('=='));
    if (token === undefined) throw new Error('none of these tokens is padded twice');
    for (const spelling of [token, token.replaceAll('=', '%3D'), token.replaceAll('=', '')]) {
      expect(check(spelling)).toBeNull();
    }
  });

  test('a plus in its hash stays a plus', () => {
    const tokens = Array.from({ length: 50 }, (_, id) => signToken(KEY, { ...TERMS, id: String(id) }));
    const withPlus = tokens.filter((token) => /hash_value=[^&]*\+/.test(decode(token)));
    expect(withPlus.length).toBeGreaterThan(0);
    for (const token of withPlus) expect(check(token)).toBeNull();
  });

  test.each([
    '07/04/2025 03:05:09 PM',
    '7/4/2025 3:5:9 PM',
    '7/4/2025 3:05:09\u202fPM',
    '7/4/2025 3:05:09 pm',
  ])('the time written as %s, and hashed as it is written', (serverTime) => {
    const token = signToken(KEY, { ...TERMS, id: '1005', serverTime });
    expect(check(token)).toBeNull();
    expect(check(encode(decode(token).replace(serverTime, SERVER_TIME)))).toBe('wrong hash');
  });
});

describe('a token is refused', () => {
  const TOKEN = signToken(KEY, { ...TERMS, id: '1005' });
  const changed = (from: string | RegExp, to: string) => encode(decode(TOKEN).replace(from, to));

  test.each([
    ['empty', ''],
    ['no base64', 'no token at all'],
    ['of the other base64 alphabet', '-_-_'],
    ['of percent signs that encode nothing', '%E0%A4%A'],
    ['base64 of something else', encode('hello')],
    ['base64 of bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1]).toString('base64')],
    ['without its time', changed(/server_time=[^&]*&/, '')],
    ['without its hash', changed(/hash_value=[^&]*&/, '')],
    ['without its minutes', changed('validminutes=20&', '')],
    ['with an empty hash', changed(/hash_value=[^&]*/, 'hash_value=')],
    ['with a parameter given twice', changed('id=1005', 'id=1005&id=1005')],
    ['with minutes that are no number', changed('validminutes=20', 'validminutes=2e9')],
    ['with a stream length that is no number', changed('id=1005', 'id=1005&strm_len=-1')],
    ['with a month that is none', changed('7/4/2025', '13/4/2025')],
    ['with a day that is none', changed('7/4/2025', '2/30/2025')],
    ['with a day before the first', changed('7/4/2025', '7/0/2025')],
    ['with an hour of 24', changed('3:05:09', '15:05:09')],
    ['with a time without AM or PM', changed(' PM', '')],
  ])('that is %s', (_what, token) => {
    expect(check(token)).toBe('malformed');
  });

  test.each([
    ['its minutes', changed('validminutes=20', 'validminutes=9999')],
    ['its time', changed('3:05:09', '3:05:10')],
    ['its id', changed('id=1005', 'id=1006')],
    ['the id taken away', changed('&id=1005', '')],
    ['the address asked for', changed('id=1005', 'id=1005&checkip=true')],
    ['a shorter hash', changed(/hash_value=[^&]*/, 'hash_value=AAAA')],
  ])('after a change of %s', (_what, token) => {
    expect(check(token)).toBe('wrong hash');
  });

  test('of another key', () => {
    expect(tokenRefusal('another key', TOKEN, LISTENER, ISSUED_MS)).toBe('wrong hash');
  });

  test.each(['1', '12', '123'])('with the least change of any one character (id %s)', (id) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const token = signToken(KEY, { ...TERMS, id });
    for (let at = 0; at < token.replaceAll('=', '').length; at++) {
      const neighbour = alphabet.charAt(alphabet.indexOf(token.charAt(at)) ^ 1);
      const changedToken = token.slice(0, at) + neighbour + token.slice(at + 1);
      expect(check(changedToken), `character ${at}`).not.toBeNull();
    }
  });

  test('after its minutes, to the millisecond', () => {
    expect(check(TOKEN, LISTENER, ISSUED_MS + 20 * MINUTE_MS)).toBeNull();
    expect(check(TOKEN, LISTENER, ISSUED_MS + 20 * MINUTE_MS + 1)).toBe('expired');
  });

  test('when it comes from more than 90 seconds ahead', () => {
    expect(FUTURE_TOLERANCE_MS).toBe(90_000);
    expect(check(TOKEN, LISTENER, ISSUED_MS - 90_000)).toBeNull();
    expect(check(TOKEN, LISTENER, ISSUED_MS - 90_001)).toBe('issued in the future');
  });
});

test.each([
  [Date.UTC(2025, 6, 4, 15, 5, 9), '7/4/2025 3:05:09 PM'],
  [Date.UTC(2025, 11, 31, 0, 0, 0), '12/31/2025 12:00:00 AM'],
  [Date.UTC(2024, 1, 29, 12, 30, 59), '2/29/2024 12:30:59 PM'],
  [Date.UTC(2025, 0, 1, 11, 59, 0), '1/1/2025 11:59:00 AM'],
])('the instant %d is written %s, in UTC, and read back', (epochMs, text) => {
  expect(formatServerTime(epochMs)).toBe(text);
  expect(parseServerTime(text)).toBe(epochMs);
});
