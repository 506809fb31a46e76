import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startOfSecond } from '../../../client/dashboard/useEverySecond.ts';
import { countdownText } from '../../../client/page/countdown.ts';
import { expiryOfNewToken, shouldMarkExpired, tokenState } from '../../../client/page/tokenState.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const TWENTY_MINUTES_MS = 1_200_000;

const active = (remainingMs: number) => expect.objectContaining({ kind: 'active', token: 't', remainingMs });

test.each([
  ['20 minutes ahead is active', TWENTY_MINUTES_MS, active(TWENTY_MINUTES_MS)],
  ['a millisecond ahead is active', 1, active(1)],
  ['of now is over', 0, { kind: 'expired' }],
  ['a minute too far ahead counts as 20 minutes', TWENTY_MINUTES_MS + 60_000, active(TWENTY_MINUTES_MS)],
  ['further ahead than that is not believed', TWENTY_MINUTES_MS + 60_001, { kind: 'none' }],
])('an expiry %s', (_, inMs, state) => {
  expect(tokenState({ token: 't', expiresAt: NOW + inMs }, NOW)).toEqual(state);
});

test.each([
  ['has not expired', -1, false],
  ['expires now', 0, true],
  ['expired twenty minutes ago', TWENTY_MINUTES_MS, true],
  ['seems to have expired longer ago, as by a wrong clock', TWENTY_MINUTES_MS + 1, false],
])('a token that %s (%s ms ago) is marked as expired: %s', (_, agoMs, marked) => {
  expect(shouldMarkExpired({ token: 't', expiresAt: NOW - agoMs }, NOW)).toBe(marked);
});

test('a new token expires after 20 minutes at most', () => {
  expect(expiryOfNewToken(NOW, 60)).toBe(NOW + 60_000);
  expect(expiryOfNewToken(NOW, 7_200)).toBe(NOW + TWENTY_MINUTES_MS);
});

test('the countdown of a new token shows each second for exactly one second', () => {
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
