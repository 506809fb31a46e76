import { expect, test } from 'vitest';
import { levelOf } from '../../../../client/dashboard/player/PlayerPanel.tsx';

test.each([
  [1, 1],
  [0.5, 0.87],
  [0.004, 0],
  [0, 0],
])('a peak of %d is a level of %d in steps of loudness', (peak, level) => {
  expect(levelOf(peak)).toBeCloseTo(level, 2);
});
