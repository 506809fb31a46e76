import { expect, test } from 'vitest';
import { type TabView, tabIcon, tabTitle } from '../../../client/dashboard/tab.ts';
import type { TokenState } from '../../../client/page/tokenState.ts';

const CALM: TokenState = { kind: 'active', token: 'secreto', expiresAt: 1_173_000, remainingMs: 1_173_000 };
const EXPIRED: TokenState = { kind: 'expired' };

const AT_REST: TabView = { status: 'paused', alarm: 'none' };
const PLAYING: TabView = { status: 'playing', alarm: 'none' };
const MISSING: TabView = { status: 'needsToken', alarm: 'hint' };
const MUTED: TabView = { status: 'muted', alarm: 'status' };

test.each<[TokenState, TabView, string]>([
  [{ kind: 'none' }, AT_REST, 'Sin Token · Audio Oficial Premium'],
  [CALM, PLAYING, '▶ 19:32 · Audio Oficial Premium'],
  [EXPIRED, MISSING, '⚠ Sin audio · Expirado · Audio Oficial Premium'],
  [CALM, MUTED, '⚠ Silenciado · 19:32 · Audio Oficial Premium'],
])('with the token %j and the sound %j the tab’s title is %s', (state, sound, title) => {
  expect(tabTitle(state, sound)).toBe(title);
});

test('at rest the tab has the product’s icon until the token ends', () => {
  for (const urgency of ['none', 'calm', 'outlived'] as const) expect(tabIcon(urgency, AT_REST)).toBeNull();
});

test('each state that matters has an icon of its own', () => {
  const icons = [
    tabIcon('calm', PLAYING),
    tabIcon('calm', MISSING),
    tabIcon('last', AT_REST),
    tabIcon('last', PLAYING),
    tabIcon('expired', AT_REST),
  ];
  expect(new Set(icons).size).toBe(icons.length);
});

test('a browser reads the whole icon, its colors included', () => {
  const { hash, pathname } = new URL(tabIcon('calm', PLAYING) ?? '');
  expect(hash).toBe('');
  expect(decodeURIComponent(pathname)).toMatch(/#[\da-f]{6}.*<\/svg>$/s);
});

test('the icon is alike whenever nothing is heard', () => {
  expect(tabIcon('expired', MUTED)).toBe(tabIcon('calm', MISSING));
});

test('the icon does not alarm while sound plays on after the expiry', () => {
  expect(tabIcon('outlived', PLAYING)).toBe(tabIcon('calm', PLAYING));
});
