import type { Figure } from './figures.ts';

/** What one benchmark found: a row for each that was measured, the same columns in each. */
export type Table = { title: string; rows: Row[] };
export type Row = { name: string; figures: Record<string, Figure> };

/** How much a run measures: all of it, or just enough to see that everything still works. */
export type Effort = { smoke: boolean };

export type Benchmark = {
  /** What it is called on the command line. */
  name: string;
  run(effort: Effort): Promise<Table[]>;
};

/**
 * Measures each contestant once a round, for as many rounds, each round in another order: what the machine does besides is
 * spread over all of them.
 */
export async function inRounds<Contestant, Measured>(
  rounds: number,
  contestants: readonly Contestant[],
  measure: (contestant: Contestant) => Promise<Measured>,
): Promise<Map<Contestant, Measured[]>> {
  const found = new Map<Contestant, Measured[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      found.get(contestant)?.push(await measure(contestant));
    }
  }
  return found;
}
