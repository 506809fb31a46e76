import { expect, test } from 'vitest';
import { progressChecked, progressFrom } from '../../../../../client/dashboard/player/connection/stall.ts';

/** Checks a sound at instants in milliseconds, each with the playback position then, in seconds. */
function afterChecks(...checks: [at: number, position: number][]) {
  return checks.reduce((before, [at, position]) => progressChecked(before, at, position), progressFrom(0));
}

test.each<[string, Parameters<typeof afterChecks>, number]>([
  [
    'counts the checks without progress',
    [
      [1_000, 1],
      [2_000, 1],
      [3_000, 1],
    ],
    2_000,
  ],
  [
    'is none in a stream that played on while timers were frozen',
    [
      [1_000, 1],
      [601_000, 601],
    ],
    0,
  ],
  [
    'grows by 2 s at a late check',
    [
      [1_000, 1],
      [601_000, 1],
      [602_000, 1],
    ],
    3_000,
  ],
  [
    'ends at a movement back to zero',
    [
      [1_000, 1],
      [2_000, 1],
      [6_000, 0],
    ],
    0,
  ],
])('a stall %s', (_, checks, stalledMs) => {
  expect(afterChecks(...checks).stalledMs).toBe(stalledMs);
});
