import { expect, test } from 'vitest';
import { timeOfDay, timeToTheSecond } from '../../../client/dashboard/timeOfDay.ts';

test('a time of day is rounded down to the minute', () => {
  expect(timeOfDay(new Date(2025, 6, 4, 18, 32, 59, 999).getTime())).toBe('18:32');
  expect(timeOfDay(new Date(2025, 6, 4, 0, 5).getTime())).toBe('00:05');
});

test('two times within a minute are told apart by their seconds', () => {
  expect(timeToTheSecond(new Date(2025, 6, 4, 18, 32, 7, 999).getTime())).toBe('18:32:07');
});
