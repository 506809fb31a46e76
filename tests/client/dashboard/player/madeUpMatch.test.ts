import { expect, test } from 'vitest';
import { madeUpMatch } from './madeUpMatch.ts';

/** `MATCH_SEEDS=1000` tries more than `npm test` has time for. */
const SEEDS = Number(process.env.MATCH_SEEDS ?? 50);

test('through a match of random faults, sound that can be heard is heard again and missing sound alarms', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) expect(madeUpMatch(seed), `seed ${seed}`).toBeNull();
});
