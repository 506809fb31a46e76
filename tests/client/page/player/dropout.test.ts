import { expect, test } from 'vitest';
import { updateDropout } from '../../../../client/page/player/dropout.ts';
import type { Dropout } from '../../../../client/page/player/playerState.ts';
import type { Sound } from '../../../../client/page/player/sound.ts';

const NINE_PM = Date.UTC(2026, 10, 21, 21);
/** Steps such as `60 missing`: the second and the sound. The clock is set back by an hour before the last one. */
function dropoutAfterSteps(text: string): Dropout | null {
  const steps = text.split(', ').map((step) => step.split(' ') as [string, Sound]);
  let before: Sound = 'off';
  return steps.reduce<Dropout | null>((dropout, [second, name], index) => {
    const monotonicMs = Number(second) * 1_000;
    const epochMs = NINE_PM + monotonicMs - (index === steps.length - 1 ? 3_600_000 : 0);
    const next = updateDropout(dropout, before, name, { epochMs, monotonicMs, random: 0, number: 1 });
    before = name;
    return next;
  }, null);
}

const over = (from: number, lastedMs: number) => ({
  kind: 'over',
  epochMs: NINE_PM + from * 1_000,
  lastedMs,
});

test.each([
  [
    'begins when the sound waits',
    '1 playing, 60 reconnecting, 65 reconnecting, 72 playing',
    over(60, 12_000),
  ],
  ['needs sound that played', '0 connecting, 5 reconnecting, 9 reconnecting, 10 playing', null],
  ['is at least a second long', '1 playing, 60 reconnecting, 60.9 playing', null],
  [
    'is replaced by a later one',
    '1 playing, 60 reconnecting, 62 playing, 80 reconnecting, 83 playing',
    over(80, 3_000),
  ],
  [
    'stays when one too short to tell follows',
    '1 playing, 60 reconnecting, 65 playing, 66 reconnecting, 66.5 playing',
    over(60, 5_000),
  ],
  ['is forgotten at a pause', '1 playing, 60 reconnecting, 62 playing, 90 off', null],
])('a dropout %s: %s', (_, steps, dropout) => {
  expect(dropoutAfterSteps(steps)).toEqual(dropout && expect.objectContaining(dropout));
});

test('a clock that is set back between two dropouts changes neither length', () => {
  const at = (second: number, setBackMs = 0) => ({
    epochMs: NINE_PM + second * 1_000 - setBackMs,
    monotonicMs: second * 1_000,
    random: 0,
    number: 1,
  });
  const first = updateDropout(null, 'playing', 'reconnecting', at(60));
  const over = updateDropout(first, 'reconnecting', 'playing', at(64));
  const second = updateDropout(over, 'playing', 'reconnecting', at(300, 3_600_000));
  expect(updateDropout(second, 'reconnecting', 'playing', at(307, 3_600_000))).toMatchObject({
    epochMs: NINE_PM + 300_000 - 3_600_000,
    lastedMs: 7_000,
  });
});
