import { expect, test } from 'vitest';
import { startOfSecond } from '../../../../client/dashboard/token/useSecond.ts';

const NOW = Date.UTC(2026, 10, 20, 18);

test.each([
  ['in the past', NOW - 7_000],
  ['now', NOW],
  ['in the future', NOW + 1_200_000],
])('each second begins in step with an instant %s, and lasts a thousand milliseconds', (_, instant) => {
  expect(startOfSecond(NOW, instant)).toBe(NOW);
  expect(startOfSecond(NOW + 999, instant)).toBe(NOW);
  expect(startOfSecond(NOW + 1_000, instant)).toBe(NOW + 1_000);
  expect(startOfSecond(NOW - 1, instant)).toBe(NOW - 1_000);
});
