import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { MINUTE_MS } from '../../../../shared/durations.ts';
import {
  anySteps,
  breaks,
  create,
  endSession,
  fault,
  moveBase,
  openBeside,
  press,
  reload,
  type Step,
  server,
  setClock,
  signIn,
  stream,
  take,
  thirdTabCreates,
  tick,
  wait,
} from './steps.ts';

/** `PAGE_SEEDS=20000 PAGE_SEED=2` tries more runs, and others. */
const { PAGE_SEEDS = 200, PAGE_SEED = 1 } = process.env;

// An effect that throws is told there.
beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());

test('in two tabs nothing is shown that is not so, whatever is pressed and whatever fails', async () => {
  const options = { numRuns: Number(PAGE_SEEDS), seed: Number(PAGE_SEED) };
  await fc.assert(fc.asyncProperty(fc.nat(), anySteps, take), options);
});

const PLAYS = [wait(3_000), create(0), wait(5_000), press(0), wait(5_000)];
const OUTLIVES_TOKEN = [...PLAYS, wait(21 * MINUTE_MS)];

/** Steps that once broke a rule, shortened by fast-check. */
test.each<[title: string, steps: Step[], chanceSeed?: number]>([
  ['a token is never shown with the expiry of the next one', [...PLAYS, thirdTabCreates(), wait(2_000)]],
  [
    'a token that just expired is never shown with the expiry of the next one',
    [...PLAYS, wait(1_190_964), thirdTabCreates()],
    1,
  ],
  [
    'a failure outlasts sound that comes back with it',
    [...OUTLIVES_TOKEN, server('never'), create(0), wait(20_000)],
  ],
  [
    'a failure outlasts the automatic creation that follows it',
    [
      ...OUTLIVES_TOKEN,
      server('providerFails'),
      create(0),
      wait(5_000),
      tick(0),
      server('tooMany'),
      fault('lost', 0),
      wait(5_000),
    ],
  ],
  [
    'a failure outlasts an expired token that another tab stores again',
    [
      ...PLAYS,
      endSession(),
      reload(1),
      wait(21 * MINUTE_MS),
      server('html'),
      signIn(1),
      create(1),
      wait(MINUTE_MS),
    ],
    1,
  ],
  [
    'a token of one tab is never shown with the expiry of a third tab’s',
    [...PLAYS, wait(1_192_021), create(1), thirdTabCreates()],
    42,
  ],
  [
    'a connection whose opening threw alarms until another one plays',
    [wait(3_000), create(0), wait(5_000), breaks('open', 0), press(0), wait(MINUTE_MS)],
  ],
  [
    'sound that could not be held is not heard while a token is created',
    [...PLAYS, breaks('hold', 0), create(0)],
  ],
  ['sound that comes back after a failed creation raises no alarm', [...PLAYS, server('never'), create(0)]],
  [
    'sound that is lost while a token is created alarms when the creation fails',
    [...OUTLIVES_TOKEN, server('tooMany'), create(0), fault('lost', 0)],
  ],
  ['a stream that opens again is not called no audio', [...PLAYS, stream('failsOnce'), press(1)]],
  [
    'a token that expires while the stream’s address is unknown raises an alarm',
    [...PLAYS, reload(0), press(0), server('html'), wait(21 * MINUTE_MS), server('answers'), wait(10_000)],
  ],
  ['the copy of a tab that plays raises no alarm', [...PLAYS, openBeside(0, 'copy')]],
  ['the copy of a tab that was just loaded raises no alarm', [...PLAYS, reload(0), openBeside(0, 'copy')]],
  [
    'sound that a new token brings back after a reload ends that of the other tab',
    [...PLAYS, press(1), reload(0), wait(1_500), create(0), wait(5_000)],
  ],
  [
    'a tab whose play is pressed after the clock was set back ends the other’s sound',
    [...PLAYS, wait(22_000), setClock(-MINUTE_MS / 2), press(1)],
  ],
  ['a token of another tab brings the stream’s new address', [...PLAYS, moveBase(), create(0)]],
  [
    'the next sign-in brings the stream’s new address',
    [...PLAYS, moveBase(), thirdTabCreates(), endSession(), wait(30_000), signIn(0)],
  ],
  [
    'a token that nobody asked for does not count as use',
    [...PLAYS, tick(0), stream('refused'), fault('lost', 0), wait(30_000)],
  ],
])('%s', async (_, steps, chanceSeed = 0) => {
  await expect(take(chanceSeed, steps)).resolves.toBeUndefined();
});
