import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Announcer, announcement } from '../../../../client/dashboard/token/Announcer.tsx';
import type { TokenState } from '../../../../client/page/tokenState.ts';
import { MINUTE_MS } from '../../../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('two tokens within seconds are announced twice', () => {
  const expiresAt = Date.now() + TOKEN_LIFETIME_MS;
  const { rerender } = render(<Announcer token={null} failure={undefined} />);
  const announced = (token: string) => {
    rerender(<Announcer token={{ token, expiresAt }} failure={undefined} />);
    return screen.getByRole('status').firstChild;
  };
  const first = announced('uno');
  const second = announced('dos');
  expect(second?.textContent).toMatch(/^Token creado/);
  // A screen reader reads a text again only in another element.
  expect(second).not.toBe(first);
});

test('an announcement is removed after five seconds', () => {
  vi.useFakeTimers();
  const expiresAt = Date.now() + TOKEN_LIFETIME_MS;
  const { rerender } = render(<Announcer token={null} failure={undefined} />);
  rerender(<Announcer token={{ token: 'uno', expiresAt }} failure={undefined} />);
  const said = () => screen.getByRole('status').textContent;
  act(() => void vi.advanceTimersByTime(4_999));
  expect(said()).toBe('Token creado. Tiempo restante: 20 minutos.');
  act(() => void vi.advanceTimersByTime(1));
  expect(said()).toBe('');
});

const NONE: TokenState = { kind: 'none' };
const EXPIRED: TokenState = { kind: 'expired' };
const minutes = (count: number, token = 't'): TokenState => ({
  kind: 'active',
  token,
  expiresAt: 0,
  remainingMs: count * MINUTE_MS,
});

const CREATED = 'Token creado. Tiempo restante: 20 minutos.';

test.each<[string, TokenState | null, TokenState, string | null]>([
  ['a first token', NONE, minutes(20, 'new'), CREATED],
  ['a token that replaces an active one', minutes(7), minutes(20, 'new'), CREATED],
  ['the time that is left after a sleep', minutes(12), minutes(3), 'Tiempo restante: 3 minutos.'],
  ['an expiry after a sleep', minutes(12), EXPIRED, 'El Token expiró.'],
  ['a removed token by taking back the announcement', minutes(1), NONE, ''],
  ['nothing while there is no token', NONE, NONE, null],
  ['nothing when the page opens', null, minutes(1), null],
  ['nothing when an expired token appears', NONE, EXPIRED, null],
  ['the time left once a wrong clock is corrected', EXPIRED, minutes(12), 'Tiempo restante: 12 minutos.'],
])('screen readers are told %s', (_, before, now, text) => {
  expect(announcement(before, now, 't')).toBe(text);
});

test('of twenty minutes only three moments are announced', () => {
  const told: Array<[number, string]> = [];
  let before = minutes(20);
  for (let seconds = 20 * 60 - 1; seconds >= 0; seconds -= 1) {
    const now = seconds > 0 ? minutes(seconds / 60) : EXPIRED;
    const text = announcement(before, now, 't');
    if (text !== null) told.push([seconds, text]);
    before = now;
  }
  expect(told).toEqual([
    [300, 'Tiempo restante: 5 minutos.'],
    [120, 'Tiempo restante: 2 minutos.'],
    [0, 'El Token expiró.'],
  ]);
});
