/** A value measured several times, in the order of the rounds. */
export type Figure = { unit: string; values: readonly number[] };

/** The figure of one property over several measurements. */
export function figure<Measured>(
  unit: string,
  measured: readonly Measured[] = [],
  pick: (measured: Measured) => number,
): Figure {
  return { unit, values: measured.map(pick) };
}

/**
 * Returns the median.
 * @throws {Error} without values
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted.length % 2 === 0 ? sorted[middle - 1] : upper;
  if (upper === undefined || lower === undefined) throw new Error('There is no median of nothing');
  return (lower + upper) / 2;
}

/**
 * Returns a quantile; NaN without values.
 * @param share - 0.99 for the 99th percentile
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Divides in each round by the reference measured in that round, since a busy machine slows both. */
export function ratio(measured: Figure, reference: Figure): Figure {
  return { unit: '×', values: byRound(measured, reference, (value, other) => value / other) };
}

/** Subtracts in each round the reference measured in that round. */
export function difference(measured: Figure, reference: Figure): Figure {
  return { unit: measured.unit, values: byRound(measured, reference, (value, other) => value - other) };
}

function byRound(
  measured: Figure,
  reference: Figure,
  compare: (value: number, other: number) => number,
): number[] {
  if (measured.values.length !== reference.values.length) throw new Error('Not of the same rounds');
  return measured.values.map((value, round) => compare(value, reference.values[round] ?? Number.NaN));
}

/** `12.3 ms (11.9–14.0)`: the median, the least and the greatest. */
export function figureText({ unit, values }: Figure): string {
  const text = `${numberText(median(values))} ${unit}`.trimEnd();
  if (values.length === 1) return text;
  return `${text} (${numberText(Math.min(...values))}–${numberText(Math.max(...values))})`;
}

/** Three significant digits, and whole numbers from a hundred on. */
export function numberText(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toPrecision(3);
}
