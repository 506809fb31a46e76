import { expect, test } from 'vitest';
import { timeOfDay, timeToTheSecond } from '../../../client/dashboard/timeOfDay.ts';

test('a time of day is rounded down, so that nobody connects too late', () => {
  expect(timeOfDay(Date.UTC(2025, 6, 4, 18, 32, 59, 999), 'UTC')).toBe('18:32');
  expect(timeOfDay(Date.UTC(2025, 6, 4, 0, 5), 'UTC')).toBe('00:05');
  expect(timeOfDay(Date.UTC(2025, 6, 4, 18, 32), 'America/Santiago')).toBe('14:32');
});

test('two times within a minute are told apart by their seconds', () => {
  expect(timeToTheSecond(Date.UTC(2025, 6, 4, 18, 32, 7, 999), 'UTC')).toBe('18:32:07');
});
