import type { Figure } from './figures.ts';

/** The figures of one benchmark: a row for each thing that was measured, with the same columns. */
export type Table = { title: string; rows: Row[] };
export type Row = { name: string; figures: Record<string, Figure> };

/** `smoke`: measure just enough to see that the benchmark still works. */
export type Effort = { smoke: boolean };

export type Benchmark = (effort: Effort) => Promise<Table[]>;

/**
 * Measures every contestant once a round, each round in another order, so that other work on the machine affects all alike.
 * @returns the measurements of each contestant, by round
 */
export async function inRounds<Contestant, Measured>(
  rounds: number,
  contestants: readonly Contestant[],
  measure: (contestant: Contestant) => Promise<Measured>,
): Promise<Map<Contestant, Measured[]>> {
  const measured = new Map<Contestant, Measured[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      measured.get(contestant)?.push(await measure(contestant));
    }
  }
  return measured;
}
