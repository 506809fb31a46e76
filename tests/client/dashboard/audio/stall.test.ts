import { expect, test } from 'vitest';
import { startProgress, updateProgress } from '../../../../client/dashboard/audio/stall.ts';

/** Checks a sound at instants such as `2:1`: the second, and the playback position then in seconds. */
function afterChecks(checks: string) {
  return checks.split(' ').reduce((before, check) => {
    const [second = 0, position = 0] = check.split(':').map(Number);
    return updateProgress(before, second * 1_000, position);
  }, startProgress(0));
}

test.each([
  ['counts the checks without progress but the first', '1:1 2:1 3:1 4:1', 2_000],
  ['is none at a single check that comes late', '1:1 3:1 4:4', 0],
  ['is none in a stream that played on while timers were frozen', '1:1 601:601', 0],
  ['grows by 2 s at a late check', '1:1 2:1 602:1 603:1', 3_000],
  ['ends at a movement back to zero', '1:1 2:1 3:1 6:0', 0],
])('a stall %s: %s', (_, checks, stalledMs) => {
  expect(afterChecks(checks).stalledMs).toBe(stalledMs);
});
