import { expect, test } from 'vitest';
import { type Dropout, dropoutAfter, NO_DROPOUT } from '../../../../client/dashboard/player/dropout.ts';
import { PLAYER_AT_REST, type PlayerState } from '../../../../client/dashboard/player/playerState.ts';

const NINE_PM = Date.UTC(2026, 10, 21, 21);
const connecting: PlayerState = { kind: 'connecting' };
const playing: PlayerState = { kind: 'playing', attempt: 0, behindSeconds: 0 };
const dry: PlayerState = { kind: 'buffering', attempt: 0 };
const lost: PlayerState = { kind: 'reconnecting', attempt: 1, likelyRefusals: 0, noOutput: false };

/** Goes through the states, each reached after so many seconds of both clocks. */
function dropoutOf(...steps: [seconds: number, state: PlayerState][]): Dropout {
  let before = PLAYER_AT_REST;
  return steps.reduce((dropout, [seconds, state]) => {
    const moment = { epochMs: NINE_PM + seconds * 1_000, monotonicMs: seconds * 1_000 };
    const next = dropoutAfter(dropout, before, state, moment);
    before = state;
    return next;
  }, NO_DROPOUT);
}

test('a dropout begins when the sound runs dry, and ends when it plays again', () => {
  expect(dropoutOf([0, connecting], [1, playing], [60, dry], [65, lost], [72, playing])).toEqual({
    kind: 'over',
    startedAt: NINE_PM + 60_000,
    lastedMs: 12_000,
  });
});

test('a dropout lasts until sound plays again', () => {
  expect(dropoutOf([1, playing], [60, lost], [61, lost])).toMatchObject({ kind: 'ongoing' });
});

test('a stream that never played has no dropout', () => {
  expect(dropoutOf([0, connecting], [5, lost], [9, dry], [10, playing])).toEqual(NO_DROPOUT);
});

test('a silence of less than a second is no dropout, and keeps the earlier one', () => {
  expect(dropoutOf([1, playing], [60, dry], [60.9, playing])).toEqual(NO_DROPOUT);
  expect(dropoutOf([1, playing], [60, dry], [64, playing], [70, dry], [70.5, playing])).toMatchObject({
    startedAt: NINE_PM + 60_000,
    lastedMs: 4_000,
  });
});

test('a later dropout replaces the earlier one, and a pause forgets it', () => {
  const twice: [number, PlayerState][] = [
    [1, playing],
    [60, lost],
    [62, playing],
    [80, lost],
    [83, playing],
  ];
  expect(dropoutOf(...twice)).toEqual({ kind: 'over', startedAt: NINE_PM + 80_000, lastedMs: 3_000 });
  expect(dropoutOf(...twice, [90, PLAYER_AT_REST])).toEqual(NO_DROPOUT);
});

test('setting the clock does not change the length of a dropout', () => {
  const ongoing = dropoutAfter(NO_DROPOUT, playing, lost, { epochMs: NINE_PM, monotonicMs: 500 });
  const hourBack = { epochMs: NINE_PM - 3_600_000, monotonicMs: 12_500 };
  expect(dropoutAfter(ongoing, lost, playing, hourBack)).toEqual({
    kind: 'over',
    startedAt: NINE_PM,
    lastedMs: 12_000,
  });
});
