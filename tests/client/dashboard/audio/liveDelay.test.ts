import { expect, test } from 'vitest';
import { startDelay, updateDelay } from '../../../../client/dashboard/audio/soundChecks.ts';

/** Steps such as `4:2+30`: the seconds that passed and that were played, and by how many the clock was set ahead. */
function behindAfter(steps: string): number {
  let heard = { monotonicMs: 0, epochMs: 1_000_000, position: 0 };
  let delay = startDelay(heard);
  for (const step of steps.split(' ')) {
    const [, passedS = 0, playedS = 0, aheadS = 0] = (/(.+):([^+-]+)(.*)/.exec(step) ?? []).map(Number);
    heard = {
      monotonicMs: heard.monotonicMs + passedS * 1_000,
      epochMs: heard.epochMs + (passedS + aheadS) * 1_000,
      position: heard.position + playedS,
    };
    delay = updateDelay(delay, heard);
  }
  return Math.round(delay.behindMs) / 1_000 + 0;
}

test.each([
  ['sound that plays on is not behind', '6:6 20:20', 0],
  ['pauses add up', '6:6 4:0 9:2', 11],
  ['the first seconds do not count, since a sound card starts late', '3:0 6:6', 0],
  ['a jump ahead makes up for a pause', '6:6 8:0 1:8', 1],
  ['a clock set ahead does not count', '6:6 1:1+30', 0],
  ['a clock set back does not count', '6:6 1:1-3600', 0],
  ['a pause longer than any server keeps does not count', '6:6 120:0.4', 0],
])('%s: %s', (_, steps, behindS) => {
  expect(behindAfter(steps)).toBe(behindS);
});
