import { expect, test } from 'vitest';
import { backoffMs } from '../../../client/api/retry.ts';

test('the wait before each further attempt doubles, up to a limit', () => {
  const waits = [1, 2, 3, 4, 5, 6, 1_000].map((attempt) => backoffMs(attempt, 15_000));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});
