import { expect, test } from 'vitest';
import {
  type CheckFacts,
  type DataArrival,
  NO_DATA_YET,
  recordCheck,
  recordData,
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
