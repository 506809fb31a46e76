import { expect, test } from 'vitest';
import { isSilentProgramme, silentFor } from '../../../../client/dashboard/audio/soundChecks.ts';

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
