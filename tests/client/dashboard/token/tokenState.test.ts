import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countdownText } from '../../../../client/dashboard/token/countdown.ts';
import { expiryOfNewToken, ranOut, tokenState } from '../../../../client/dashboard/token/tokenState.ts';
import { startOfSecond } from '../../../../client/dashboard/token/useSecond.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const TWENTY_MINUTES_MS = 1_200_000;

test('no token ever made is none', () => {
  expect(tokenState(null, NOW)).toEqual({ kind: 'none' });
});

test('a token just made is active for 20 minutes', () => {
  const stored = { token: 't', expiresAt: NOW + TWENTY_MINUTES_MS };
  expect(tokenState(stored, NOW)).toEqual({ kind: 'active', token: 't', remainingMs: TWENTY_MINUTES_MS });
});

test('a token is active until the last millisecond and expired at its instant', () => {
  const stored = { token: 't', expiresAt: NOW };
  expect(tokenState(stored, NOW - 1)).toEqual({ kind: 'active', token: 't', remainingMs: 1 });
  expect(tokenState(stored, NOW)).toEqual({ kind: 'expired' });
});

test('a token whose expiry was reset to 0 is expired', () => {
  expect(tokenState({ token: 't', expiresAt: 0 }, NOW)).toEqual({ kind: 'expired' });
});

test.each([
  ['a millisecond', 1],
  ['ten seconds', 10_000],
  ['a minute', 60_000],
])('an expiry %s too far ahead, after the clock was set back, counts as 20 minutes', (_, tooFarMs) => {
  const stored = { token: 't', expiresAt: NOW + TWENTY_MINUTES_MS + tooFarMs };
  expect(tokenState(stored, NOW)).toEqual({ kind: 'active', token: 't', remainingMs: TWENTY_MINUTES_MS });
});

test('an expiry more than a minute too far ahead is not believed until the clock has come near it', () => {
  const stored = { token: 't', expiresAt: NOW + TWENTY_MINUTES_MS + 60_001 };
  expect(tokenState(stored, NOW)).toEqual({ kind: 'none' });
  expect(tokenState(stored, NOW + 1).kind).toBe('active');
  expect(tokenState(stored, stored.expiresAt).kind).toBe('expired');
});

test.each([
  ['is not over', -1, false],
  ['ends now', 0, true],
  ['ended twenty minutes ago', TWENTY_MINUTES_MS, true],
  ['seems to have ended longer ago, as after a clock was set forward', TWENTY_MINUTES_MS + 1, false],
])('a token that %s is marked as expired: %s ms → %s', (_, agoMs, marked) => {
  expect(ranOut({ token: 't', expiresAt: NOW - agoMs }, NOW)).toBe(marked);
});

test('a new token expires 20 minutes from the browser’s own now', () => {
  expect(expiryOfNewToken(NOW, 1_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('a shorter lifetime is kept, a longer one is not believed', () => {
  expect(expiryOfNewToken(NOW, 60)).toBe(NOW + 60_000);
  expect(expiryOfNewToken(NOW, 7_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('a token just made reads 19 : 59 for its whole first second, and each later second is as long', () => {
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
