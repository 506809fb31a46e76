import { expect, test } from 'vitest';
import { tabIcon, tabTitle } from '../../../client/dashboard/tab.ts';
import type { TokenState } from '../../../client/dashboard/token/tokenState.ts';

const active = (remainingMs: number): TokenState => ({ kind: 'active', token: 'secreto', remainingMs });
const CALM = active(1_173_000);
const LAST = active(60_000);
const EXPIRED: TokenState = { kind: 'expired' };
const NONE: TokenState = { kind: 'none' };

test.each([
  [NONE, 'off', 'Sin Token · Audio Oficial Premium'],
  [CALM, 'off', '19:32 · Audio Oficial Premium'],
  [CALM, 'heard', '▶ 19:32 · Audio Oficial Premium'],
  [EXPIRED, 'off', 'Expirado · Audio Oficial Premium'],
  [EXPIRED, 'heard', '▶ Expirado · Audio Oficial Premium'],
  [CALM, 'missing', '⚠ Sin audio · 19:32 · Audio Oficial Premium'],
  [EXPIRED, 'missing', '⚠ Sin audio · Expirado · Audio Oficial Premium'],
] as const)('with the token %j and the sound %s the tab’s title is %s', (state, sound, title) => {
  expect(tabTitle(state, sound)).toBe(title);
});

test('without sound the tab has the product’s icon, with no token or with plenty of time left', () => {
  expect(tabIcon(NONE, 'off')).toBeNull();
  expect(tabIcon(CALM, 'off')).toBeNull();
});

test('playing sound, missing sound, the last minutes and the expiry each have an icon of their own', () => {
  const icons = [
    tabIcon(CALM, 'heard'),
    tabIcon(CALM, 'missing'),
    tabIcon(LAST, 'off'),
    tabIcon(LAST, 'heard'),
    tabIcon(EXPIRED, 'off'),
  ];
  expect(new Set(icons).size).toBe(icons.length);
  for (const icon of icons) expect(icon).toMatch(/^data:image\/svg\+xml,%3Csvg/);
});

test('the icon alarms whenever sound is missing, and never while sound plays on after the expiry', () => {
  expect(tabIcon(EXPIRED, 'heard')).toBe(tabIcon(CALM, 'heard'));
  for (const state of [NONE, LAST, EXPIRED]) expect(tabIcon(state, 'missing')).toBe(tabIcon(CALM, 'missing'));
});

test('the icon only changes with what it shows, so that it is not drawn again each second', () => {
  expect(tabIcon(active(900_000), 'heard')).toBe(tabIcon(active(899_000), 'heard'));
});
