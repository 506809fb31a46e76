import { expect, test } from 'vitest';
import { isStalled, progressChecked, progressFrom } from '../../../../client/dashboard/player/stall.ts';

/** Checks a sound at instants in milliseconds, each with the playback position then, in seconds. */
function afterChecks(...checks: [at: number, position: number][]) {
  return checks.reduce((before, [at, position]) => progressChecked(before, at, position), progressFrom(0));
}

const everySecond = (from: number, to: number, position: (second: number) => number) =>
  Array.from({ length: to - from + 1 }, (_, index): [number, number] => [
    (from + index) * 1_000,
    position(from + index),
  ]);
const sounding = everySecond(1, 10, (second) => second);

test.each([
  ['sound is given up after 5 s without progress', true, sounding, 5],
  ['sound that no token can replace is given up after 15 s', false, sounding, 15],
  ['a connection that never sounded is given up after 15 s', true, everySecond(1, 0, () => 0), 15],
] as const)('%s', (_, isReplaceable, before, allowedS) => {
  const last = before.length;
  const stallsFor = (seconds: number) =>
    afterChecks(...before, ...everySecond(last + 1, last + seconds, () => last));
  expect(isStalled(stallsFor(allowedS - 1), isReplaceable)).toBe(false);
  expect(isStalled(stallsFor(allowedS), isReplaceable)).toBe(true);
});

test('a stream that played on while timers were frozen is not stalled', () => {
  expect(isStalled(afterChecks([1_000, 1], [601_000, 601]), true)).toBe(false);
});

test('a late check without progress counts as 2 s', () => {
  const asleep: [number, number][] = [
    [1_000, 1],
    [601_000, 1],
  ];
  expect(isStalled(afterChecks(...asleep, [602_000, 1], [603_000, 1]), true)).toBe(false);
  expect(isStalled(afterChecks(...asleep, [602_000, 1], [603_000, 1], [604_000, 1]), true)).toBe(true);
});

test('a movement back to zero restarts the allowed time', () => {
  const stalled = everySecond(2, 5, () => 1);
  expect(isStalled(afterChecks([1_000, 1], ...stalled, [6_000, 0]), true)).toBe(false);
});
