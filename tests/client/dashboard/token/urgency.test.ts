import { expect, test } from 'vitest';
import { nextAction } from '../../../../client/dashboard/nextAction.ts';
import type { PlayerState } from '../../../../client/dashboard/player/playerState.ts';
import type { TokenState } from '../../../../client/dashboard/token/tokenState.ts';
import { urgencyOf } from '../../../../client/dashboard/token/urgency.ts';

const PLAYING: PlayerState = { kind: 'playing', attempt: 0, behindSeconds: 0 };
const PLAYERS: Record<string, PlayerState> = {
  'at rest': { kind: 'paused', because: 'asked' },
  playing: PLAYING,
  reconnecting: { kind: 'reconnecting', attempt: 1, likelyRefusals: 0, noOutput: false },
  refused: { kind: 'refused' },
};
const NONE: TokenState = { kind: 'none' };
const TOKENS: Record<string, TokenState> = {
  none: NONE,
  'with 121 s left': { kind: 'active', token: 't', remainingMs: 121_000 },
  'with 120 s left': { kind: 'active', token: 't', remainingMs: 120_000 },
  expired: { kind: 'expired', old: false },
  'long expired': { kind: 'expired', old: true },
};

test.each([
  ['none', 'at rest', 'none', 'create'],
  ['with 121 s left', 'at rest', 'calm', 'copy'],
  ['with 121 s left', 'playing', 'calm', 'copy'],
  ['with 121 s left', 'refused', 'refused', 'create'],
  ['with 120 s left', 'at rest', 'last', 'create'],
  ['with 120 s left', 'playing', 'last', 'copy'],
  ['with 120 s left', 'reconnecting', 'last', 'create'],
  ['expired', 'at rest', 'expired', 'create'],
  ['expired', 'playing', 'outlived', 'none'],
  ['long expired', 'at rest', 'old', 'create'],
  ['long expired', 'playing', 'outlived', 'none'],
])('the token %s under the player %s has the urgency %s → %s', (token, player, urgency, next) => {
  const state = TOKENS[token] ?? NONE;
  const playerState = PLAYERS[player] ?? PLAYING;
  expect(urgencyOf(state, playerState)).toBe(urgency);
  expect(nextAction(urgencyOf(state, playerState), playerState, false)).toBe(next);
});

test('after a creation that interrupted the sound the filled button plays', () => {
  const atRest: PlayerState = { kind: 'paused', because: 'asked' };
  expect(nextAction('calm', atRest, true)).toBe('play');
  expect(nextAction('calm', PLAYING, true)).toBe('copy');
  expect(nextAction('last', atRest, true)).toBe('create');
});
