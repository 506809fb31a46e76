// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Failure } from '../../../../client/api/failure.ts';
import type { Audibility } from '../../../../client/dashboard/player/playerView.ts';
import { useFailureDismissal } from '../../../../client/dashboard/token/useFailureDismissal.ts';

type Step = [failure: Failure | undefined, audibility: Audibility | null];

const FAILURE: Failure = { code: 'PROVIDER_UNAVAILABLE' };
const forget = vi.fn();

afterEach(cleanup);

function useAudibility([failure, audibility]: Step): void {
  useFailureDismissal(failure, { audibility: audibility ?? 'off', isSettled: audibility !== null }, forget);
}

test.each<[string, Array<Audibility | null>, number]>([
  ['sound begins', ['off', 'off', null, 'playing'], 1],
  ['the sound is back', ['playing', null, 'playing'], 0],
  ['the sound is back and then lost', ['playing', 'playing', 'missing'], 1],
  ['connecting sound turns out to be missing', [null, null, 'missing'], 0],
])('when %s, after the sounds %j a failed creation is forgotten %i times', (_, [before, ...after], times) => {
  forget.mockClear();
  const { rerender } = renderHook(useAudibility, { initialProps: [undefined, before ?? null] });
  for (const audibility of after) rerender([FAILURE, audibility]);
  expect(forget).toHaveBeenCalledTimes(times);
});
