import { expect, test } from 'vitest';
import { type TabView, tabIcon, tabTitle } from '../../../client/dashboard/BrowserTab.tsx';
import type { TokenState } from '../../../client/page/tokenState.ts';

const CALM: TokenState = { kind: 'active', token: 'secreto', expiresAt: 1_173_000, remainingMs: 1_173_000 };
const EXPIRED: TokenState = { kind: 'expired' };

const AT_REST: TabView = { status: 'paused', alarm: 'none', urgency: 'calm' };
const PLAYING: TabView = { status: 'playing', alarm: 'none', urgency: 'calm' };
const MISSING: TabView = { status: 'needsToken', alarm: 'hint', urgency: 'calm' };
const MUTED: TabView = { status: 'muted', alarm: 'status', urgency: 'calm' };

test.each<[TokenState, TabView, string]>([
  [{ kind: 'none' }, AT_REST, 'Sin Token · Audio Oficial Premium'],
  [CALM, PLAYING, '▶ 19:32 · Audio Oficial Premium'],
  [EXPIRED, MISSING, '⚠ Sin audio · Expirado · Audio Oficial Premium'],
  [CALM, MUTED, '⚠ Silenciado · 19:32 · Audio Oficial Premium'],
])('with the token %j and the sound %j the tab’s title is %s', (state, sound, title) => {
  expect(tabTitle(state, sound)).toBe(title);
});

test('at rest the tab has the product’s icon until the token ends', () => {
  for (const urgency of ['none', 'calm', 'outlived'] as const)
    expect(tabIcon({ ...AT_REST, urgency })).toBeNull();
});

test('each state that matters has an icon of its own', () => {
  const icons = [
    tabIcon({ ...PLAYING, urgency: 'calm' }),
    tabIcon({ ...MISSING, urgency: 'calm' }),
    tabIcon({ ...AT_REST, urgency: 'last' }),
    tabIcon({ ...PLAYING, urgency: 'last' }),
    tabIcon({ ...AT_REST, urgency: 'expired' }),
  ];
  expect(new Set(icons).size).toBe(icons.length);
});

test('a browser reads the whole icon, its colors included', () => {
  const { hash, pathname } = new URL(tabIcon({ ...PLAYING, urgency: 'calm' }) ?? '');
  expect(hash).toBe('');
  expect(decodeURIComponent(pathname)).toMatch(/#[\da-f]{6}.*<\/svg>$/s);
});

test('the icon is alike whenever nothing is heard', () => {
  expect(tabIcon({ ...MUTED, urgency: 'expired' })).toBe(tabIcon({ ...MISSING, urgency: 'calm' }));
});

test('the icon does not alarm while sound plays on after the expiry', () => {
  expect(tabIcon({ ...PLAYING, urgency: 'outlived' })).toBe(tabIcon({ ...PLAYING, urgency: 'calm' }));
});
