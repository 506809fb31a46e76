import { expect, test } from 'vitest';
import { tabIcon, tabTitle } from '../../../client/dashboard/tab.ts';
import type { TokenState } from '../../../client/dashboard/token/tokenState.ts';

const active = (remainingMs: number): TokenState => ({ kind: 'active', token: 'secreto', remainingMs });
const CALM = active(1_173_000);
const LAST = active(60_000);
const EXPIRED: TokenState = { kind: 'expired' };
const NONE: TokenState = { kind: 'none' };

test.each([
  [NONE, false, 'Sin Token · Audio Oficial Premium'],
  [CALM, false, '19:32 · Audio Oficial Premium'],
  [CALM, true, '▶ 19:32 · Audio Oficial Premium'],
  [EXPIRED, false, 'Expirado · Audio Oficial Premium'],
  [EXPIRED, true, '▶ Expirado · Audio Oficial Premium'],
])('with the token %j, playing: %s, the title is %s', (state, playing, title) => {
  expect(tabTitle(state, playing)).toBe(title);
});

test('without a token, and with one that waits, the icon is the product’s', () => {
  expect(tabIcon(NONE, false)).toBeNull();
  expect(tabIcon(CALM, false)).toBeNull();
});

test('playing, the last minutes and the end have icons of their own, in every combination', () => {
  const icons = [
    tabIcon(CALM, true),
    tabIcon(LAST, false),
    tabIcon(LAST, true),
    tabIcon(EXPIRED, false),
    tabIcon(EXPIRED, true),
  ];
  expect(new Set(icons).size).toBe(icons.length);
  for (const icon of icons) expect(icon).toMatch(/^data:image\/svg\+xml,%3Csvg/);
});

test('the icon stays as it is while its state does, so that it is not drawn anew each second', () => {
  expect(tabIcon(active(900_000), true)).toBe(tabIcon(active(899_000), true));
});
