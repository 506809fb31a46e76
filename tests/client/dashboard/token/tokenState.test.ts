import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countdownText } from '../../../../client/dashboard/token/countdown.ts';
import { expiryOfNewToken, ranOut, tokenState } from '../../../../client/dashboard/token/tokenState.ts';
import { startOfSecond } from '../../../../client/dashboard/token/useSecond.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const TWENTY_MINUTES_MS = 1_200_000;

test('without a stored token the state is none', () => {
  expect(tokenState(null, NOW)).toEqual({ kind: 'none' });
});

test('a new token is active for 20 minutes', () => {
  const stored = { token: 't', expiresAt: NOW + TWENTY_MINUTES_MS };
  expect(tokenState(stored, NOW)).toEqual({ kind: 'active', token: 't', remainingMs: TWENTY_MINUTES_MS });
});

test('a token is active until the last millisecond, and expired at the instant of its expiry', () => {
  const stored = { token: 't', expiresAt: NOW };
  expect(tokenState(stored, NOW - 1)).toEqual({ kind: 'active', token: 't', remainingMs: 1 });
  expect(tokenState(stored, NOW)).toEqual({ kind: 'expired', old: false });
});

test('a token whose expiry was reset to 0 is expired', () => {
  expect(tokenState({ token: 't', expiresAt: 0 }, NOW)).toEqual({ kind: 'expired', old: false });
});

test.each([
  ['twenty minutes', TWENTY_MINUTES_MS, false],
  ['more than twenty minutes', TWENTY_MINUTES_MS + 1, true],
])('an expiry of %s ago is old, reset to 0 or not: %s', (_, agoMs, old) => {
  const expiredAt = NOW - agoMs;
  expect(tokenState({ token: 't', expiresAt: expiredAt }, NOW)).toEqual({ kind: 'expired', old });
  expect(tokenState({ token: 't', expiresAt: 0 }, NOW, expiredAt)).toEqual({ kind: 'expired', old });
});

test.each([
  ['a millisecond', 1],
  ['ten seconds', 10_000],
  ['a minute', 60_000],
])('after the clock was set back, an expiry %s too far ahead counts as 20 minutes', (_, tooFarMs) => {
  const stored = { token: 't', expiresAt: NOW + TWENTY_MINUTES_MS + tooFarMs };
  expect(tokenState(stored, NOW)).toEqual({ kind: 'active', token: 't', remainingMs: TWENTY_MINUTES_MS });
});

test('an expiry more than a minute too far ahead counts as no token until the clock comes near it', () => {
  const stored = { token: 't', expiresAt: NOW + TWENTY_MINUTES_MS + 60_001 };
  expect(tokenState(stored, NOW)).toEqual({ kind: 'none' });
  expect(tokenState(stored, NOW + 1).kind).toBe('active');
  expect(tokenState(stored, stored.expiresAt).kind).toBe('expired');
});

test.each([
  ['has not expired', -1, false],
  ['expires now', 0, true],
  ['expired twenty minutes ago', TWENTY_MINUTES_MS, true],
  ['seems to have expired longer ago, as after the clock was set forward', TWENTY_MINUTES_MS + 1, false],
])('a token that %s (%s ms ago) is marked as expired: %s', (_, agoMs, marked) => {
  expect(ranOut({ token: 't', expiresAt: NOW - agoMs }, NOW)).toBe(marked);
});

test('a new token expires 20 minutes from now by the browser’s clock', () => {
  expect(expiryOfNewToken(NOW, 1_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('a new token with a shorter lifetime keeps it, and one with a longer lifetime gets 20 minutes', () => {
  expect(expiryOfNewToken(NOW, 60)).toBe(NOW + 60_000);
  expect(expiryOfNewToken(NOW, 7_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('the countdown of a new token shows each second, from 19 : 59 on, for exactly one second', () => {
  const expiresAt = expiryOfNewToken(NOW, 1_200);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: TWENTY_MINUTES_MS + 5_000 }), (elapsedMs) => {
      const stored = { token: 't', expiresAt };
      const now = NOW + elapsedMs;
      const shown = tokenState(stored, startOfSecond(now, expiresAt));
      expect(shown.kind).toBe(tokenState(stored, now).kind);
      expect(countdownText(shown)).toBe(countdownText(tokenState(stored, now)));
    }),
  );
});
