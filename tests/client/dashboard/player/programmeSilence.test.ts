import { expect, test } from 'vitest';
import { isSilentProgramme, silentFor } from '../../../../client/dashboard/player/programmeSilence.ts';

const afterChecks = (peaks: (number | null)[], gapMs = 1_000) =>
  isSilentProgramme(peaks.reduce<number>((silentMs, peak) => silentFor(silentMs, peak, gapMs), 0));

test('ten seconds without a sample above zero are a silent programme', () => {
  expect(afterChecks(Array(9).fill(0))).toBe(false);
  expect(afterChecks(Array(10).fill(0))).toBe(true);
});

test('the noise of a quiet studio is no digital silence', () => {
  expect(afterChecks(Array(60).fill(0.0005))).toBe(false);
});

test('any sound ends the silence', () => {
  expect(afterChecks([...Array(20).fill(0), 0.2])).toBe(false);
});

test('what cannot be measured is not silent', () => {
  expect(afterChecks(Array(60).fill(null))).toBe(false);
});

test('one late check is no silence', () => {
  expect(afterChecks([0], 60_000)).toBe(false);
});
