import { expect, test } from 'vitest';
import { tabIcon, tabTitle } from '../../../client/dashboard/tab.ts';
import type { TokenState } from '../../../client/dashboard/token/tokenState.ts';

const active = (remainingMs: number): TokenState => ({ kind: 'active', token: 'secreto', remainingMs });
const CALM = active(1_173_000);
const EXPIRED: TokenState = { kind: 'expired', old: false };
const NONE: TokenState = { kind: 'none' };

test.each([
  [NONE, 'off', 'Sin Token · Audio Oficial Premium'],
  [CALM, 'off', '19:32 · Audio Oficial Premium'],
  [CALM, 'heard', '▶ 19:32 · Audio Oficial Premium'],
  [EXPIRED, 'off', 'Expirado · Audio Oficial Premium'],
  [EXPIRED, 'heard', '▶ Expirado · Audio Oficial Premium'],
  [CALM, 'missing', '⚠ Sin audio · 19:32 · Audio Oficial Premium'],
  [EXPIRED, 'missing', '⚠ Sin audio · Expirado · Audio Oficial Premium'],
  [CALM, 'muted', '⚠ Silenciado · 19:32 · Audio Oficial Premium'],
] as const)('with the token %j and the sound %s the tab’s title is %s', (state, sound, title) => {
  expect(tabTitle(state, sound)).toBe(title);
});

test('without sound the tab has the product’s icon, unless the token ends or has just ended', () => {
  for (const tone of ['none', 'calm', 'old', 'outlived'] as const) expect(tabIcon(tone, 'off')).toBeNull();
});

test('playing sound, missing sound, the last minutes and the expiry each have an icon of their own', () => {
  const icons = [
    tabIcon('calm', 'heard'),
    tabIcon('calm', 'missing'),
    tabIcon('last', 'off'),
    tabIcon('last', 'heard'),
    tabIcon('expired', 'off'),
  ];
  expect(new Set(icons).size).toBe(icons.length);
  for (const icon of icons) expect(icon).toMatch(/^data:image\/svg\+xml,%3Csvg/);
});

test('the icon is alike whenever nothing is heard, muted sound included', () => {
  for (const tone of ['none', 'calm', 'last', 'refused', 'expired'] as const)
    for (const sound of ['missing', 'muted'] as const)
      expect(tabIcon(tone, sound)).toBe(tabIcon('calm', 'missing'));
});

test('the icon never alarms while sound plays on after the expiry', () => {
  expect(tabIcon('outlived', 'heard')).toBe(tabIcon('calm', 'heard'));
});
