import { expect, test } from 'vitest';
import { nextAction } from '../../../client/dashboard/nextAction.ts';
import type { PlayerView } from '../../../client/dashboard/player/playerView.ts';
import type { TokenState } from '../../../client/page/tokenState.ts';
import { urgencyOf } from '../../../client/page/urgency.ts';

type Player = Pick<PlayerView, 'button' | 'status' | 'needsPlay' | 'outlivesToken'>;

const AT_REST: Player = { button: 'play', status: 'paused', needsPlay: false, outlivesToken: false };
const PLAYING: Player = { button: 'pause', status: 'playing', needsPlay: false, outlivesToken: true };
const PLAYERS: Record<string, Player> = {
  'at rest': AT_REST,
  playing: PLAYING,
  reconnecting: { ...PLAYING, outlivesToken: false },
  refused: { ...AT_REST, status: 'refused' },
  'paused from outside': { ...AT_REST, needsPlay: true },
};
const NONE: TokenState = { kind: 'none' };
const TOKENS: Record<string, TokenState> = {
  none: NONE,
  'with 121 s left': { kind: 'active', token: 't', expiresAt: 0, remainingMs: 121_000 },
  'with 120 s left': { kind: 'active', token: 't', expiresAt: 0, remainingMs: 120_000 },
  expired: { kind: 'expired' },
};

test.each([
  ['none', 'at rest', 'none', 'create'],
  ['with 121 s left', 'at rest', 'calm', 'copy'],
  ['with 121 s left', 'playing', 'calm', 'copy'],
  ['with 121 s left', 'refused', 'refused', 'create'],
  ['with 121 s left', 'paused from outside', 'calm', 'play'],
  ['with 120 s left', 'at rest', 'last', 'create'],
  ['with 120 s left', 'playing', 'last', 'copy'],
  ['with 120 s left', 'reconnecting', 'last', 'create'],
  ['expired', 'at rest', 'expired', 'create'],
  ['expired', 'playing', 'outlived', 'none'],
])('the token %s under the player %s has the urgency %s → %s', (token, player, urgency, next) => {
  const state = TOKENS[token] ?? NONE;
  const playerState = PLAYERS[player] ?? PLAYING;
  expect(urgencyOf(state, playerState)).toBe(urgency);
  expect(nextAction(urgencyOf(state, playerState), playerState, false)).toBe(next);
});

test('after a creation that interrupted the sound the filled button plays', () => {
  expect(nextAction('calm', AT_REST, true)).toBe('play');
  expect(nextAction('calm', PLAYING, true)).toBe('copy');
  expect(nextAction('last', AT_REST, true)).toBe('create');
});
