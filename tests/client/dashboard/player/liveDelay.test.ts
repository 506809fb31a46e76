import { expect, test } from 'vitest';
import { delayAfter, delayFrom } from '../../../../client/dashboard/player/liveDelay.ts';

type Step = { passedS: number; playedS: number; clockSetByS?: number; sleptS?: number };

const settles: Step = { passedS: 6, playedS: 6 };

/** Returns by how many seconds the sound is behind after the steps, checked once after each. */
function behindAfter(...steps: Step[]): number {
  let heard = { monotonicMs: 0, epochMs: 1_000_000, position: 0 };
  let delay = delayFrom(heard);
  for (const { passedS, playedS, clockSetByS = 0, sleptS = 0 } of steps) {
    heard = {
      monotonicMs: heard.monotonicMs + passedS * 1_000,
      epochMs: heard.epochMs + (passedS + clockSetByS + sleptS) * 1_000,
      position: heard.position + playedS,
    };
    delay = delayAfter(delay, heard);
  }
  return Math.round(delay.behindMs) / 1_000 + 0;
}

test('sound that plays on is not behind', () => {
  expect(behindAfter(settles, { passedS: 0.4, playedS: 0.4 }, { passedS: 20, playedS: 20 })).toBe(0);
});

test('pauses add up', () => {
  expect(behindAfter(settles, { passedS: 4, playedS: 0 }, { passedS: 9, playedS: 2 })).toBe(11);
});

test('the first seconds count for nothing, since a sound card starts late', () => {
  expect(behindAfter({ passedS: 3, playedS: 0.1 }, settles)).toBe(0);
});

test('a jump ahead makes up for a pause', () => {
  expect(behindAfter(settles, { passedS: 8, playedS: 0 }, { passedS: 1, playedS: 8 })).toBe(1);
});

test('a sleep that stopped the monotonic clock counts', () => {
  expect(behindAfter(settles, { passedS: 0.4, playedS: 0.4, sleptS: 30 })).toBe(30);
});

test('a clock that is set by more than any server keeps counts for nothing', () => {
  expect(behindAfter(settles, { passedS: 0.4, playedS: 0.4, clockSetByS: 3_600 })).toBe(0);
  expect(behindAfter(settles, { passedS: 0.4, playedS: 0.4, clockSetByS: -3_600 })).toBe(0);
});

test('a sleep that outlasts its connection counts for nothing', () => {
  expect(behindAfter(settles, { passedS: 120, playedS: 0.4 })).toBe(0);
});
