/** `smoke`: measure just enough to see that the benchmark still works. */
export type Effort = { smoke: boolean };

/** Measures, and prints tables. */
export type Benchmark = (effort: Effort) => Promise<void>;

/** The figures of one round, by column. The name of a column says its unit. */
export type Figures = Record<string, number>;

type Comparison = {
  title: string;
  /** An odd number, so that one round is the median. In a smoke test there is one. */
  rounds: number;
  effort: Effort;
  contestants: Record<string, () => Promise<Figures>>;
  /** Adds a column that relates another column to that of the first contestant in the same round. */
  toFirst?: { name: string; of: string; by: (own: number, first: number) => number };
};

/**
 * Measures every contestant once a round, each round in another order, so that other work on the machine affects all
 * alike. Prints the median of the rounds, the least and the greatest.
 */
export async function compare(comparison: Comparison): Promise<void> {
  const { title, contestants, toFirst, effort } = comparison;
  const rounds = effort.smoke ? 1 : comparison.rounds;
  const names = Object.keys(contestants);
  const measured: Record<string, Figures>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    const figures: Record<string, Figures> = {};
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      figures[name] = (await contestants[name]?.()) ?? {};
    }
    measured.push(figures);
  }
  const reference = names[0] ?? '';
  const rowOf = (name: string) => {
    const ofRounds = measured.map((figures) => {
      const own = figures[name] ?? {};
      if (toFirst === undefined) return own;
      const { name: column, of, by } = toFirst;
      return { ...own, [column]: by(own[of] ?? Number.NaN, figures[reference]?.[of] ?? Number.NaN) };
    });
    const columns = Object.keys(ofRounds[0] ?? {});
    return Object.fromEntries(columns.map((column) => [column, summary(ofRounds.map((own) => own[column]))]));
  };
  console.log(title);
  console.table(Object.fromEntries(names.map((name) => [name, rowOf(name)])));
}

/** @param share - 0.99 for the 99th percentile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** `12.3 (11.9–14.0)`: the median, the least and the greatest. */
function summary(values: Array<number | undefined>): string {
  const known = values.map((value) => value ?? Number.NaN);
  const median = numberText(quantile(known, 0.5));
  if (known.length === 1) return median;
  return `${median} (${numberText(Math.min(...known))}–${numberText(Math.max(...known))})`;
}

/** Three significant digits, and whole numbers from a hundred on. */
function numberText(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
