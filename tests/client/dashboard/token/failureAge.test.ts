import { expect, test } from 'vitest';
import type { PlayerState } from '../../../../client/dashboard/player/playerState.ts';
import { hasChanged, settledSound, shownForMs } from '../../../../client/dashboard/token/failureAge.ts';

test('a failed creation is told for a minute, which begins after the wait that the server asked for', () => {
  expect(shownForMs({ code: 'PROVIDER_UNAVAILABLE' })).toBe(60_000);
  expect(shownForMs({ code: 'RATE_LIMITED', retryAfterSeconds: 48 })).toBe(108_000);
});

test.each<[PlayerState, 'heard' | 'missing' | 'off' | null]>([
  [{ kind: 'playing', attempt: 0, behindSeconds: 0 }, 'heard'],
  [{ kind: 'refused' }, 'missing'],
  [{ kind: 'paused', because: 'asked' }, 'off'],
  [{ kind: 'paused', because: 'creation' }, null],
  [{ kind: 'connecting' }, null],
  [{ kind: 'buffering', attempt: 0 }, null],
])('the sound of %j, once settled, is %s', (state, sound) => {
  expect(settledSound(state, sound ?? 'off')).toBe(sound);
});

test('only one settled sound after another counts as a change', () => {
  expect(hasChanged('off', 'heard')).toBe(true);
  expect(hasChanged('heard', 'missing')).toBe(true);
  expect(hasChanged('heard', 'heard')).toBe(false);
  expect(hasChanged('heard', null)).toBe(false);
  expect(hasChanged(null, 'heard')).toBe(false);
});
