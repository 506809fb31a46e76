// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Failure } from '../../../../client/api/failure.ts';
import type { Sound } from '../../../../client/dashboard/player/playerView.ts';
import { useFailureAge } from '../../../../client/dashboard/token/useFailureAge.ts';

type Step = [failure: Failure | undefined, sound: Sound | null];

const FAILURE: Failure = { code: 'PROVIDER_UNAVAILABLE' };
const forget = vi.fn();

afterEach(cleanup);

function useSound([failure, sound]: Step): void {
  useFailureAge(failure, { sound: sound ?? 'off', isSettled: sound !== null }, forget);
}

test.each<[string, Array<Sound | null>, number]>([
  ['sound begins', ['off', 'off', null, 'heard'], 1],
  ['the sound is back', ['heard', null, 'heard'], 0],
  ['the sound is back and then lost', ['heard', 'heard', 'missing'], 1],
  ['connecting sound turns out to be missing', [null, null, 'missing'], 0],
])('when %s, after the sounds %j a failed creation is forgotten %i times', (_, [before, ...after], times) => {
  forget.mockClear();
  const { rerender } = renderHook(useSound, { initialProps: [undefined, before ?? null] });
  for (const sound of after) rerender([FAILURE, sound]);
  expect(forget).toHaveBeenCalledTimes(times);
});
