// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Failure } from '../../../../client/api/failure.ts';
import type { Sound } from '../../../../client/dashboard/sound.ts';
import { useFailureAge } from '../../../../client/dashboard/token/failureAge.ts';

type Step = [failure: Failure | undefined, sound: Sound | null];

const FAILURE: Failure = { code: 'PROVIDER_UNAVAILABLE' };

afterEach(cleanup);

/** Returns how often the failure was forgotten in the course of these renders. */
function timesForgotten(first: Step, ...steps: Step[]): number {
  const forget = vi.fn();
  const { rerender } = renderHook(([failure, sound]: Step) => useFailureAge(failure, sound, forget), {
    initialProps: first,
  });
  for (const step of steps) rerender(step);
  return forget.mock.calls.length;
}

test('a failed creation is forgotten when the sound that it interrupted ends', () => {
  expect(
    timesForgotten([undefined, 'heard'], [FAILURE, null], [FAILURE, 'heard'], [FAILURE, 'missing']),
  ).toBe(1);
});

test('a failed creation is forgotten when sound begins', () => {
  expect(timesForgotten([undefined, 'off'], [FAILURE, 'off'], [FAILURE, null], [FAILURE, 'heard'])).toBe(1);
});

test('a failed creation is still told when the sound that it interrupted is back', () => {
  expect(timesForgotten([undefined, 'heard'], [FAILURE, null], [FAILURE, 'heard'])).toBe(0);
});

test('a failed creation is still told when sound that was connecting before turns out to be missing', () => {
  expect(timesForgotten([undefined, 'off'], [undefined, null], [FAILURE, null], [FAILURE, 'missing'])).toBe(
    0,
  );
});
