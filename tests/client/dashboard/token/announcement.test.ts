import { expect, test } from 'vitest';
import { announcement } from '../../../../client/dashboard/token/announcement.ts';
import type { TokenState } from '../../../../client/dashboard/token/tokenState.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const NONE: TokenState = { kind: 'none' };
const EXPIRED: TokenState = { kind: 'expired', old: false };
const active = (remainingMs: number, token = 't'): TokenState => ({ kind: 'active', token, remainingMs });

const KNOWN = 't';

test('a new token is announced with the time that it has left', () => {
  expect(announcement(NONE, active(20 * MINUTE_MS), null)).toBe('Token creado. Tiempo restante: 20 minutos.');
  expect(announcement(EXPIRED, active(20 * MINUTE_MS), 'old')).toBe(
    'Token creado. Tiempo restante: 20 minutos.',
  );
});

test('a new token that replaces an active one is announced too', () => {
  expect(announcement(active(7 * MINUTE_MS, 'old'), active(20 * MINUTE_MS, 'new'), 'old')).toMatch(
    /^Token creado/,
  );
});

test('of the 20 minutes only the last five minutes, the last two and the expiry are announced', () => {
  const told: Array<[number, string]> = [];
  let before = active(20 * MINUTE_MS);
  for (let remainingMs = 20 * MINUTE_MS - SECOND_MS; remainingMs >= 0; remainingMs -= SECOND_MS) {
    const now = remainingMs > 0 ? active(remainingMs) : EXPIRED;
    const text = announcement(before, now, KNOWN);
    if (text !== null) told.push([remainingMs / SECOND_MS, text]);
    before = now;
  }
  expect(told).toEqual([
    [300, 'Tiempo restante: 5 minutos.'],
    [120, 'Tiempo restante: 2 minutos.'],
    [0, 'El Token expiró.'],
  ]);
});

test('after the computer slept, the time that is really left is announced', () => {
  expect(announcement(active(12 * MINUTE_MS), active(3 * MINUTE_MS), KNOWN)).toBe(
    'Tiempo restante: 3 minutos.',
  );
  expect(announcement(active(12 * MINUTE_MS), EXPIRED, KNOWN)).toBe('El Token expiró.');
});

test('the announcement is emptied when its token is gone', () => {
  expect(announcement(active(MINUTE_MS), NONE, KNOWN)).toBe('');
  expect(announcement(EXPIRED, NONE, KNOWN)).toBe('');
  expect(announcement(NONE, NONE, KNOWN)).toBeNull();
});

test('a page announces nothing when it opens, with a token or without', () => {
  for (const state of [NONE, EXPIRED, active(MINUTE_MS)]) expect(announcement(null, state, KNOWN)).toBeNull();
  expect(announcement(NONE, EXPIRED, KNOWN)).toBeNull();
});

test('a token that is valid again after a wrong clock was corrected is not announced as new', () => {
  expect(announcement(NONE, active(12 * MINUTE_MS), KNOWN)).toBe('Tiempo restante: 12 minutos.');
  expect(announcement(EXPIRED, active(12 * MINUTE_MS), KNOWN)).toBe('Tiempo restante: 12 minutos.');
});
