import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countdownText } from '../../../../client/dashboard/token/countdown.ts';
import {
  expiryOfNewToken,
  secondUnderWay,
  tokenState,
} from '../../../../client/dashboard/token/tokenState.ts';

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

test('more than 20 minutes left, after the clock was set back, is not believed', () => {
  expect(tokenState({ token: 't', expiresAt: NOW + TWENTY_MINUTES_MS + 1 }, NOW)).toEqual({ kind: 'none' });
});

test('a new token expires 20 minutes from the browser’s own now', () => {
  expect(expiryOfNewToken(NOW, 1_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('a shorter lifetime is kept, a longer one is not believed', () => {
  expect(expiryOfNewToken(NOW, 60)).toBe(NOW + 60_000);
  expect(expiryOfNewToken(NOW, 7_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('looked at by the second under way, a token is what it is now, and stays so until its next second', () => {
  const expiresAt = NOW + TWENTY_MINUTES_MS;
  fc.assert(
    fc.property(fc.integer({ min: -5_000, max: TWENTY_MINUTES_MS + 5_000 }), (elapsedMs) => {
      const stored = { token: 't', expiresAt };
      const [now, shown] = [NOW + elapsedMs, tokenState(stored, secondUnderWay(stored, NOW + elapsedMs))];
      expect(shown.kind).toBe(tokenState(stored, now).kind);
      expect(countdownText(shown)).toBe(countdownText(tokenState(stored, now)));
      const secondStart = secondUnderWay(stored, now);
      expect(secondUnderWay(stored, secondStart)).toBe(secondStart);
    }),
  );
});

test('no token and one that was reset are looked at by one and the same instant', () => {
  expect(secondUnderWay(null, NOW)).toBe(secondUnderWay(null, NOW + 1));
  const reset = { token: 't', expiresAt: 0 };
  expect(secondUnderWay(reset, NOW)).toBe(secondUnderWay(reset, NOW + 1));
});
