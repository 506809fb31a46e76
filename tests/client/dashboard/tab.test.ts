import { expect, test } from 'vitest';
import type { TokenState } from '../../../client/dashboard/machine/tokenState.ts';
import { tabIcon, tabTitle } from '../../../client/dashboard/tab.ts';

const CALM: TokenState = { kind: 'active', token: 'secreto', expiresAt: 1_173_000, remainingMs: 1_173_000 };
const EXPIRED: TokenState = { kind: 'expired', old: false };

test.each<[TokenState, Parameters<typeof tabTitle>[1], string]>([
  [{ kind: 'none' }, 'off', 'Sin Token · Audio Oficial Premium'],
  [CALM, 'playing', '▶ 19:32 · Audio Oficial Premium'],
  [EXPIRED, 'missing', '⚠ Sin audio · Expirado · Audio Oficial Premium'],
  [CALM, 'muted', '⚠ Silenciado · 19:32 · Audio Oficial Premium'],
])('with the token %j and the sound %s the tab’s title is %s', (state, sound, title) => {
  expect(tabTitle(state, sound)).toBe(title);
});

test('at rest the tab has the product’s icon until the token ends', () => {
  for (const urgency of ['none', 'calm', 'old', 'outlived'] as const)
    expect(tabIcon(urgency, 'off')).toBeNull();
});

test('each state that matters has an icon of its own', () => {
  const icons = [
    tabIcon('calm', 'playing'),
    tabIcon('calm', 'missing'),
    tabIcon('last', 'off'),
    tabIcon('last', 'playing'),
    tabIcon('expired', 'off'),
  ];
  expect(new Set(icons).size).toBe(icons.length);
});

test('the icon is alike whenever nothing is heard', () => {
  expect(tabIcon('expired', 'muted')).toBe(tabIcon('calm', 'missing'));
});

test('the icon does not alarm while sound plays on after the expiry', () => {
  expect(tabIcon('outlived', 'playing')).toBe(tabIcon('calm', 'playing'));
});
