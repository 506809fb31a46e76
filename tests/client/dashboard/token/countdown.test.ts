import { expect, test } from 'vitest';
import {
  countdownText,
  creationIsNext,
  shareLeft,
  toneOf,
} from '../../../../client/dashboard/token/countdown.ts';

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
  expect(countdownText({ kind: 'expired' })).toBe('00:00');
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
  expect(shareLeft({ kind: 'expired' })).toBe(0);
});

test.each([
  [1_200_000, 'calm'],
  [121_000, 'calm'],
  [120_000, 'last'],
  [1, 'last'],
])('with %i ms left the countdown’s tone is %s', (remainingMs, tone) => {
  expect(toneOf(active(remainingMs), true)).toBe(tone);
});

test('an expired token has the alarming tone, unless the sound plays on', () => {
  expect(toneOf({ kind: 'expired' }, false)).toBe('expired');
  expect(toneOf({ kind: 'expired' }, true)).toBe('outlived');
  expect(toneOf({ kind: 'none' }, true)).toBe('none');
});

const AT_REST = { kind: 'paused', because: 'asked' } as const;
const PLAYING = { kind: 'playing', attempt: 0, behindSeconds: 0 } as const;

test.each([
  ['none', AT_REST, true],
  ['calm', AT_REST, false],
  ['last', AT_REST, true],
  ['expired', AT_REST, true],
  ['last', PLAYING, false],
  ['outlived', PLAYING, false],
  ['calm', { kind: 'refused' }, true],
] as const)(
  'with the tone %s and the player %j, creating a token is suggested as the next step: %s',
  (tone, player, next) => {
    expect(creationIsNext(tone, player)).toBe(next);
  },
);
