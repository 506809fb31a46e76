import { expect, test } from 'vitest';
import { waitTime } from '../../shared/waitTime.ts';

test.each([
  [-1, 1, 'second'],
  [0.2, 1, 'second'],
  [1.1, 2, 'second'],
  [90, 90, 'second'],
  [90.1, 2, 'minute'],
  [120, 2, 'minute'],
  [121, 3, 'minute'],
] as const)('a wait of %d s is told as %d in the unit %s', (seconds, count, unit) => {
  expect(waitTime(seconds)).toEqual({ count, unit });
});
