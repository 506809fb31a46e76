import type { Table } from './benchmark.ts';
import { columnsOf } from './chart.ts';
import { figureText } from './figures.ts';

/** A table as text, for a terminal. */
export function tableText({ title, rows }: Table): string {
  const columns = columnsOf(rows);
  const lines = [
    ['', ...columns],
    ...rows.map(({ name, figures }) => [
      name,
      ...columns.map((column) => (figures[column] ? figureText(figures[column]) : '')),
    ]),
  ];
  const widths = ['', ...columns].map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? '').length)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [title, ...text.map((line) => `  ${line}`), ''].join('\n');
}
