import { expect, test } from 'vitest';
import type { PlayerState } from '../../../client/dashboard/player/playerState.ts';
import { alarmOf, hearsNothing, settledSound, soundThroughVolume } from '../../../client/dashboard/sound.ts';

test.each([
  ['heard', false, 'heard', false],
  ['heard', true, 'muted', true],
  ['missing', true, 'missing', true],
  ['off', true, 'off', false],
] as const)('sound that is %s while muted is %s reads as %s', (sound, isMuted, heard, misses) => {
  expect(soundThroughVolume(sound, isMuted)).toBe(heard);
  expect(hearsNothing(heard)).toBe(misses);
});

test.each([
  ['missing', 'reconnecting', 'status'],
  ['missing', 'dry', 'status'],
  ['missing', 'silent', 'status'],
  ['missing', 'refused', 'status'],
  ['missing', 'needsToken', 'notice'],
  ['muted', 'playing', 'notice'],
  ['heard', 'playing', 'none'],
] as const)('sound that is %s under the status %s alarms in the %s', (sound, status, alarm) => {
  expect(alarmOf(sound, status)).toBe(alarm);
});

test.each<[PlayerState, 'heard' | null]>([
  [{ kind: 'playing', attempt: 0, behindSeconds: 0 }, 'heard'],
  [{ kind: 'paused', because: 'creation' }, null],
  [{ kind: 'connecting' }, null],
  [{ kind: 'buffering', attempt: 0 }, null],
])('the sound of %j, once settled, is %s', (state, sound) => {
  expect(settledSound(state, 'heard')).toBe(sound);
});
