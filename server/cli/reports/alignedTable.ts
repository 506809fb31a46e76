import { escapeInvisible } from '../../observing/escapeInvisible.ts';

const GAP = '  ';

/** A heading that begins with a space aligns its column to the right. */
export function alignedTable(headings: string[], rows: string[][]): string {
  const lines = [headings.map((heading) => heading.trim()), ...rows.map((row) => row.map(escapeInvisible))];
  const columns = headings.map((heading, column) => ({
    width: lines.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0),
    isRight: heading.startsWith(' '),
  }));
  return lines
    .map((line) =>
      columns
        .map(({ width, isRight }, column) => {
          const cell = line[column] ?? '';
          return isRight ? cell.padStart(width) : cell.padEnd(width);
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}
