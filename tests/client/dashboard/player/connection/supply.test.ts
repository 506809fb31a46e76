import { expect, test } from 'vitest';
import {
  dataArrived,
  NEW_SUPPLY,
  type Supply,
  type SupplyFacts,
  supplyChecked,
} from '../../../../../client/dashboard/player/connection/supply.ts';

const LIVE: SupplyFacts = {
  gapMs: 400,
  tellsBuffer: true,
  isLoading: true,
  hasLittleData: false,
  knowsEnd: false,
};

const repeated = (times: number, supply: Supply, act: (supply: Supply) => Supply) =>
  Array.from({ length: times }).reduce<Supply>(act, supply);
const checks = (times: number, supply: Supply, facts: Partial<SupplyFacts> = {}) =>
  repeated(times, supply, (before) => supplyChecked(before, { ...LIVE, ...facts }));
/** As in Chromium and Firefox: data arrives between any two checks. */
const steady = repeated(10, NEW_SUPPLY, (before) => dataArrived(checks(1, before)));

test('a steady supply is over after 1.2 s without data', () => {
  expect(checks(3, steady).ended).toBe(false);
  expect(checks(4, steady).ended).toBe(true);
});

test('a supply that has not become steady yet is not missed', () => {
  expect(checks(30, repeated(2, NEW_SUPPLY, dataArrived)).ended).toBe(false);
});

test('one late check does not end a supply', () => {
  expect(checks(1, steady, { gapMs: 60_000 }).ended).toBe(false);
});

test('a supply in portions may be quiet for half as long again as before', () => {
  const portioned = repeated(5, steady, (before) => dataArrived(checks(8, before)));
  expect(checks(12, portioned).ended).toBe(false);
  expect(checks(13, portioned).ended).toBe(true);
});

test('data after all revives a supply', () => {
  expect(checks(1, dataArrived(checks(10, steady))).ended).toBe(false);
});

test('a stream whose end is known is over at once', () => {
  expect(checks(1, steady, { knowsEnd: true }).ended).toBe(true);
});

test('a full element of WebKit that loads again is short of data', () => {
  const webKit = { tellsBuffer: false, isLoading: false };
  const filled = checks(20, repeated(5, NEW_SUPPLY, dataArrived), webKit);
  expect(filled.ended).toBe(false);
  expect(checks(1, filled, { ...webKit, isLoading: true }).ended).toBe(false);
  expect(checks(1, filled, { ...webKit, isLoading: true, hasLittleData: true }).ended).toBe(true);
});
