/** A row for each thing that was measured, with the same columns, as `console.table` prints them. */
export type Table = { title: string; rows: Record<string, Record<string, string>> };

/** `smoke`: measure just enough to see that the benchmark still works. */
export type Effort = { smoke: boolean };

export type Benchmark = (effort: Effort) => Promise<Table[]>;

/** Measures every contestant once a round, each round in another order, so that other work on the machine affects all alike. */
export async function inRounds<Name extends string, Measured>(
  rounds: number,
  contestants: Record<Name, () => Promise<Measured>>,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(contestants) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Measured[]>;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      measured[name].push(await contestants[name]());
    }
  }
  return measured;
}
