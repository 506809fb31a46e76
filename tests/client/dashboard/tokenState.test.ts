import { expect, test } from 'vitest';
import { expiryOfNewToken, tokenState } from '../../../client/dashboard/tokenState.ts';

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
