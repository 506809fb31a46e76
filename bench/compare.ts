/** The figures by column, whose name says their unit. */
export type Figures = Record<string, number>;

export const PER_SECOND = 'per second';

/**
 * Measures every contestant once a round, each round in another order, so that other work on the machine affects all
 * alike. Prints the median of the rounds, the least and the greatest, and each rate as a share of the first
 * contestant's rate in the same round.
 * @param rounds - an odd number, so that one round is the median
 */
export async function compare(
  title: string,
  rounds: number,
  contestants: Record<string, () => Promise<Figures>>,
): Promise<void> {
  const names = Object.keys(contestants);
  const measured: Record<string, Figures[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      measured[name]?.push((await contestants[name]?.()) ?? {});
    }
  }
  const reference = measured[names[0] ?? ''] ?? [];
  const rowOf = (ofRounds: Figures[]) => {
    const withShare = ofRounds.map((figures, round) => ({
      ...figures,
      'of the first': (figures[PER_SECOND] ?? Number.NaN) / (reference[round]?.[PER_SECOND] ?? Number.NaN),
    }));
    const columns = Object.keys(withShare[0] ?? {}) as Array<keyof (typeof withShare)[0]>;
    return Object.fromEntries(
      columns.map((column) => [column, summary(withShare.map((figures) => figures[column] ?? Number.NaN))]),
    );
  };
  console.log(title);
  console.table(Object.fromEntries(names.map((name) => [name, rowOf(measured[name] ?? [])])));
}

/** @param share - 0.99 for the 99th percentile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** `12.3 (11.9–14.0)`: the median, the least and the greatest. */
function summary(values: readonly number[]): string {
  return `${numberText(quantile(values, 0.5))} (${numberText(Math.min(...values))}–${numberText(Math.max(...values))})`;
}

/** Three significant digits, and whole numbers from a hundred on. */
function numberText(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
