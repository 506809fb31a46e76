import { escapeInvisible } from '../../../observing/sanitizing.ts';

const GAP = '  ';

/**
 * @param none - what a table without rows says
 * @param columns - the cells by their headings; a heading that begins with a space aligns its column to the right
 */
export function alignedTable<Row>(
  rows: Row[],
  none: string,
  columns: Record<string, (row: Row) => string>,
): string {
  if (rows.length === 0) return none;
  const texts = Object.entries(columns).map(([heading, cellOf]) => {
    const cells = [heading.trim(), ...rows.map((row) => escapeInvisible(cellOf(row)))];
    const width = cells.reduce((widest, cell) => Math.max(widest, cell.length), 0);
    return cells.map((cell) => (heading.startsWith(' ') ? cell.padStart(width) : cell.padEnd(width)));
  });
  const lines = Array.from({ length: rows.length + 1 }, (_, line) => texts.map((cells) => cells[line]));
  return lines.map((cells) => cells.join(GAP).trimEnd()).join('\n');
}
