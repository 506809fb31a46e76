import { expect, test } from 'vitest';
import {
  type CheckFacts,
  type DataArrival,
  isSilentProgramme,
  NO_DATA_YET,
  recordCheck,
  recordData,
  silentFor,
  startDelay,
  updateDelay,
} from '../../../../client/dashboard/audio/soundChecks.ts';

const LIVE: CheckFacts = {
  gapMs: 400,
  tellsBuffer: true,
  isLoading: true,
  hasLittleData: false,
  knowsEnd: false,
};

const repeated = (times: number, arrival: DataArrival, act: (arrival: DataArrival) => DataArrival) =>
  Array.from({ length: times }).reduce<DataArrival>(act, arrival);
const checks = (times: number, arrival: DataArrival, facts: Partial<CheckFacts> = {}) =>
  repeated(times, arrival, (before) => recordCheck(before, { ...LIVE, ...facts }));
/** As in Chromium and Firefox: data arrives between any two checks. */
const steady = repeated(10, NO_DATA_YET, (before) => recordData(checks(1, before)));

test('steady data is missed after 1.2 s without data', () => {
  expect(checks(3, steady).ended).toBe(false);
  expect(checks(4, steady).ended).toBe(true);
});

test('data that has not become steady yet is not missed', () => {
  expect(checks(30, repeated(2, NO_DATA_YET, recordData)).ended).toBe(false);
});

test('one late check does not count as a stop', () => {
  expect(checks(1, steady, { gapMs: 60_000 }).ended).toBe(false);
});

test('data in portions may pause for half as long again as before', () => {
  const portioned = repeated(5, steady, (before) => recordData(checks(8, before)));
  expect(checks(12, portioned).ended).toBe(false);
  expect(checks(13, portioned).ended).toBe(true);
});

test('data after all ends the stop', () => {
  expect(checks(1, recordData(checks(10, steady))).ended).toBe(false);
});

test('a stream whose end is known is over at once', () => {
  expect(checks(1, steady, { knowsEnd: true }).ended).toBe(true);
});

test('a full element of WebKit that loads again is short of data', () => {
  const webKit = { tellsBuffer: false, isLoading: false };
  const filled = checks(20, repeated(5, NO_DATA_YET, recordData), webKit);
  expect(filled.ended).toBe(false);
  expect(checks(1, filled, { ...webKit, isLoading: true }).ended).toBe(false);
  expect(checks(1, filled, { ...webKit, isLoading: true, hasLittleData: true }).ended).toBe(true);
});

test('an element of WebKit that is never full for long has data while some arrives', () => {
  const short = { tellsBuffer: false, hasLittleData: true };
  const filledOnce = checks(1, repeated(5, NO_DATA_YET, recordData), { ...short, isLoading: false });
  const live = repeated(10, filledOnce, (before) => recordData(checks(2, before, short)));
  expect(checks(2, live, short).ended).toBe(false);
});

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

test.each<[string, (number | null)[], number, boolean]>([
  ['nine seconds of zeros', Array(9).fill(0), 1_000, false],
  ['ten seconds of zeros', Array(10).fill(0), 1_000, true],
  ['the noise of a quiet studio', Array(60).fill(0.0005), 1_000, false],
  ['sound after zeros', [...Array(20).fill(0), 0.2], 1_000, false],
  ['what cannot be measured', Array(60).fill(null), 1_000, false],
  ['four late checks', Array(4).fill(0), 60_000, false],
])('%s reads as a silent programme: %j every %i ms → %s', (_, peaks, gapMs, isSilent) => {
  const silentMs = peaks.reduce<number>((before, peak) => silentFor(before, peak, gapMs), 0);
  expect(isSilentProgramme(silentMs)).toBe(isSilent);
});
