import { expect, test } from 'vitest';
import { countdownText, shareLeft } from '../../../client/page/countdown.ts';

const active = (remainingMs: number) => ({ kind: 'active', token: 't', expiresAt: 0, remainingMs }) as const;

test.each([
  [1_200_000, '19 : 59'],
  [1_199_001, '19 : 59'],
  [1_199_000, '19 : 58'],
  [60_000, '00 : 59'],
  [1, '00 : 00'],
])('with %i ms left the countdown reads %s', (remainingMs, text) => {
  expect(countdownText(active(remainingMs))).toBe(text);
});

test('without a valid token nothing is left to count down', () => {
  expect(countdownText({ kind: 'expired' })).toBe('00:00');
  expect(shareLeft({ kind: 'expired' })).toBe(0);
});

test('the ring is filled to the share of 20 minutes that is left', () => {
  expect(shareLeft(active(300_000))).toBe(0.25);
});
