// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Failure } from '../../../../client/api/failure.ts';
import type { PlayerState } from '../../../../client/dashboard/player/playerState.ts';
import type { Sound } from '../../../../client/dashboard/sound.ts';
import { settledSound, shownForMs, useFailureAge } from '../../../../client/dashboard/token/failureAge.ts';

type Step = [failure: Failure | undefined, sound: Sound | null];

const FAILURE: Failure = { code: 'PROVIDER_UNAVAILABLE' };

afterEach(cleanup);

test('a failed creation is told for a minute after the server’s wait', () => {
  expect(shownForMs(FAILURE)).toBe(60_000);
  expect(shownForMs({ code: 'RATE_LIMITED', retryAfterSeconds: 48 })).toBe(108_000);
});

test.each<[PlayerState, 'heard' | null]>([
  [{ kind: 'playing', attempt: 0, behindSeconds: 0 }, 'heard'],
  [{ kind: 'paused', because: 'creation' }, null],
  [{ kind: 'connecting' }, null],
  [{ kind: 'buffering', attempt: 0 }, null],
])('the sound of %j, once settled, is %s', (state, sound) => {
  expect(settledSound(state, 'heard')).toBe(sound);
});

test.each<[string, Array<Sound | null>, number]>([
  ['sound begins', ['off', 'off', null, 'heard'], 1],
  ['the sound is back', ['heard', null, 'heard'], 0],
  ['the sound is back and then lost', ['heard', 'heard', 'missing'], 1],
  ['connecting sound turns out to be missing', [null, null, 'missing'], 0],
])('when %s, after the sounds %j a failed creation is forgotten %i times', (_, [before, ...after], times) => {
  const forget = vi.fn();
  const { rerender } = renderHook(([failure, sound]: Step) => useFailureAge(failure, sound, forget), {
    initialProps: [undefined, before ?? null],
  });
  for (const sound of after) rerender([FAILURE, sound]);
  expect(forget).toHaveBeenCalledTimes(times);
});
