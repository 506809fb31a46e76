import { expect, test } from 'vitest';
import { isStalled, progressChecked, progressFrom } from '../../../../client/dashboard/player/stall.ts';

/** Looks at a sound, each look being an instant in milliseconds and how far the sound had come, in seconds. */
function afterLooks(...looks: [at: number, position: number][]) {
  return looks.reduce((before, [at, position]) => progressChecked(before, at, position), progressFrom(0));
}

const everySecond = (from: number, to: number, position: (second: number) => number) =>
  Array.from({ length: to - from + 1 }, (_, index): [number, number] => [
    (from + index) * 1_000,
    position(from + index),
  ]);

test('sound without progress counts as lost after five seconds, and not before', () => {
  const sounding = everySecond(1, 10, (second) => second);
  expect(isStalled(afterLooks(...sounding, ...everySecond(11, 14, () => 10)), true)).toBe(false);
  expect(isStalled(afterLooks(...sounding, ...everySecond(11, 15, () => 10)), true)).toBe(true);
});

test('sound that no token can replace has fifteen seconds to come back', () => {
  const sounding = everySecond(1, 10, (second) => second);
  expect(isStalled(afterLooks(...sounding, ...everySecond(11, 24, () => 10)), false)).toBe(false);
  expect(isStalled(afterLooks(...sounding, ...everySecond(11, 25, () => 10)), false)).toBe(true);
});

test('a connection has fifteen seconds to start', () => {
  expect(isStalled(afterLooks(...everySecond(1, 14, () => 0)), true)).toBe(false);
  expect(isStalled(afterLooks(...everySecond(1, 15, () => 0)), true)).toBe(true);
});

test('a stream that played on while the page’s timers were frozen for ten minutes is not silent', () => {
  expect(isStalled(afterLooks([1_000, 1], [601_000, 601]), true)).toBe(false);
});

test('a single late check without progress never counts as silence; the next checks decide', () => {
  const asleep: [number, number][] = [
    [1_000, 1],
    [601_000, 1],
  ];
  expect(isStalled(afterLooks(...asleep), true)).toBe(false);
  expect(isStalled(afterLooks(...asleep, [602_000, 2], [603_000, 3]), true)).toBe(false);
  expect(isStalled(afterLooks(...asleep, [602_000, 1], [603_000, 1], [604_000, 1]), true)).toBe(true);
});

test('sound that comes back restarts the five seconds', () => {
  const stutter = afterLooks(
    [1_000, 1],
    ...everySecond(2, 5, () => 1),
    [6_000, 2],
    ...everySecond(7, 10, () => 2),
  );
  expect(isStalled(stutter, true)).toBe(false);
});

test('a stream that starts again from zero counts as progress', () => {
  expect(
    isStalled(afterLooks([1_000, 5], [2_000, 5], [3_000, 5], [4_000, 5], [5_000, 5], [6_000, 0]), true),
  ).toBe(false);
});
