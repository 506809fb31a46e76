import { expect, test } from 'vitest';
import { delayAfter, delayFrom } from '../../../../../client/dashboard/player/connection/liveDelay.ts';

type Step = { passedS: number; playedS: number; clockAheadS?: number };

const settles: Step = { passedS: 6, playedS: 6 };

/** Returns by how many seconds the sound is behind after the steps, checked once after each. */
function behindAfter(...steps: Step[]): number {
  let heard = { monotonicMs: 0, epochMs: 1_000_000, position: 0 };
  let delay = delayFrom(heard);
  for (const { passedS, playedS, clockAheadS = 0 } of steps) {
    heard = {
      monotonicMs: heard.monotonicMs + passedS * 1_000,
      epochMs: heard.epochMs + (passedS + clockAheadS) * 1_000,
      position: heard.position + playedS,
    };
    delay = delayAfter(delay, heard);
  }
  return Math.round(delay.behindMs) / 1_000 + 0;
}

test.each<[string, Step[], number]>([
  ['sound that plays on is not behind', [settles, { passedS: 20, playedS: 20 }], 0],
  ['pauses add up', [settles, { passedS: 4, playedS: 0 }, { passedS: 9, playedS: 2 }], 11],
  [
    'the first seconds do not count, since a sound card starts late',
    [{ passedS: 3, playedS: 0 }, settles],
    0,
  ],
  ['a jump ahead makes up for a pause', [settles, { passedS: 8, playedS: 0 }, { passedS: 1, playedS: 8 }], 1],
  [
    'a sleep that stops the monotonic clock counts',
    [settles, { passedS: 1, playedS: 1, clockAheadS: 30 }],
    30,
  ],
  ['a clock set far ahead does not count', [settles, { passedS: 1, playedS: 1, clockAheadS: 3_600 }], 0],
  ['a clock set back does not count', [settles, { passedS: 1, playedS: 1, clockAheadS: -3_600 }], 0],
  ['a pause longer than any server keeps does not count', [settles, { passedS: 120, playedS: 0.4 }], 0],
])('%s', (_, steps, behindS) => {
  expect(behindAfter(...steps)).toBe(behindS);
});
