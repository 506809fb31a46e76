/** `12.3 ms (11.9–14.0)`: the median of the rounds, the least and the greatest. */
export function figure(values: readonly number[], unit = ''): string {
  const text = `${numberText(quantile(values, 0.5))} ${unit}`.trimEnd();
  if (values.length === 1) return text;
  return `${text} (${numberText(Math.min(...values))}–${numberText(Math.max(...values))})`;
}

/** @param share - 0.99 for the 99th percentile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Divides in each round by the reference measured in that round, since a busy machine slows both. */
export function ratio(measured: readonly number[], reference: readonly number[]): string {
  return figure(
    measured.map((value, round) => value / (reference[round] ?? Number.NaN)),
    '×',
  );
}

/** Subtracts in each round the reference measured in that round. */
export function difference(measured: readonly number[], reference: readonly number[], unit: string): string {
  return figure(
    measured.map((value, round) => value - (reference[round] ?? Number.NaN)),
    unit,
  );
}

/** Three significant digits, and whole numbers from a hundred on. */
function numberText(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
