import { expect, test } from 'vitest';
import { nextAction } from '../../../client/dashboard/nextAction.ts';
import type { PlayerState } from '../../../client/dashboard/player/playerState.ts';

const AT_REST: PlayerState = { kind: 'paused', because: 'asked' };
const PLAYING: PlayerState = { kind: 'playing', attempt: 0, behindSeconds: 0 };
const RECONNECTING: PlayerState = { kind: 'reconnecting', attempt: 1, likelyRefusals: 0, noOutput: false };

test.each([
  ['none', AT_REST, 'create'],
  ['calm', AT_REST, 'copy'],
  ['calm', PLAYING, 'copy'],
  ['last', AT_REST, 'create'],
  ['last', PLAYING, 'copy'],
  ['last', RECONNECTING, 'create'],
  ['refused', { kind: 'refused' }, 'create'],
  ['expired', AT_REST, 'create'],
  ['old', AT_REST, 'create'],
  ['outlived', PLAYING, 'none'],
] as const)('with the tone %s and the player %j the filled button is: %s', (tone, player, next) => {
  expect(nextAction(tone, player, false)).toBe(next);
});

test('after a creation that interrupted the sound the filled button is the one that plays', () => {
  expect(nextAction('calm', AT_REST, true)).toBe('play');
  expect(nextAction('calm', PLAYING, true)).toBe('copy');
  expect(nextAction('last', AT_REST, true)).toBe('create');
});
