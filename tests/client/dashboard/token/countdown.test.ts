import { expect, test } from 'vitest';
import type { PlayerState } from '../../../../client/dashboard/player/playerState.ts';
import { countdownText, shareLeft } from '../../../../client/dashboard/token/countdown.ts';
import { toneOf } from '../../../../client/dashboard/token/tone.ts';

const active = (remainingMs: number) => ({ kind: 'active', token: 't', remainingMs }) as const;

test.each([
  [1_200_000, '19 : 59'],
  [1_199_001, '19 : 59'],
  [1_199_000, '19 : 58'],
  [1_140_001, '19 : 00'],
  [1_140_000, '18 : 59'],
  [61_000, '01 : 00'],
  [60_000, '00 : 59'],
  [1_001, '00 : 01'],
  [1_000, '00 : 00'],
  [1, '00 : 00'],
])('with %i ms left the countdown reads %s', (remainingMs, text) => {
  expect(countdownText(active(remainingMs))).toBe(text);
});

test('without a valid token the countdown reads 00:00', () => {
  expect(countdownText({ kind: 'none' })).toBe('00:00');
  expect(countdownText({ kind: 'expired', old: false })).toBe('00:00');
});

test.each([
  [1_200_000, 1],
  [600_000, 0.5],
  [60_000, 0.05],
])('with %i ms left the ring is filled to a share of %d', (remainingMs, share) => {
  expect(shareLeft(active(remainingMs))).toBe(share);
});

test('without a valid token the ring is empty', () => {
  expect(shareLeft({ kind: 'none' })).toBe(0);
  expect(shareLeft({ kind: 'expired', old: false })).toBe(0);
});

const AT_REST: PlayerState = { kind: 'paused', because: 'asked' };
const PLAYING: PlayerState = { kind: 'playing', attempt: 0, behindSeconds: 0 };
const REFUSED: PlayerState = { kind: 'refused' };

test.each([
  [1_200_000, 'calm'],
  [121_000, 'calm'],
  [120_000, 'last'],
  [1, 'last'],
])('with %i ms left the countdown’s tone is %s', (remainingMs, tone) => {
  expect(toneOf(active(remainingMs), PLAYING)).toBe(tone);
});

test.each([
  ['expired', AT_REST, false, 'expired'],
  ['expired', PLAYING, false, 'outlived'],
  ['expired', AT_REST, true, 'old'],
  ['expired', PLAYING, true, 'outlived'],
  ['none', PLAYING, false, 'none'],
] as const)(
  'a token that is %s with the player %j, long ago: %s, has the tone %s',
  (kind, player, old, tone) => {
    expect(toneOf({ kind, old }, player)).toBe(tone);
  },
);

test('a refused token has no calm tone, however much time is left', () => {
  expect(toneOf(active(1_200_000), REFUSED)).toBe('refused');
  expect(toneOf(active(1), REFUSED)).toBe('refused');
});
