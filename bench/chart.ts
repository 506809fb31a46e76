import type { Row, Table } from './benchmark.ts';
import { type Figure, figureText, median } from './figures.ts';

const WIDTH = 760;
const NAME_WIDTH = 200;
const TEXT_WIDTH = 210;
const BAR_WIDTH = WIDTH - NAME_WIDTH - TEXT_WIDTH;
const BAR_HEIGHT = 16;
const LINE_HEIGHT = 24;

/**
 * The tables as bars, with a thin line between what the rounds lay. A column is a group of bars that share a scale.
 * @returns an SVG document that follows the reader's light or dark scheme
 */
export function chartSvg(tables: Table[]): string {
  const parts: string[] = [];
  let y = 8;
  for (const { title, rows } of tables) {
    y += 28;
    parts.push(text(0, y, title, 'title'));
    for (const column of columnsOf(rows)) {
      y += LINE_HEIGHT + 4;
      parts.push(text(0, y, column, 'column'));
      const figures = rows.flatMap(({ name, figures }) => {
        const figure = figures[column];
        return figure ? [{ name, figure }] : [];
      });
      const most = Math.max(...figures.flatMap(({ figure }) => figure.values.filter(Number.isFinite)), 0);
      for (const { name, figure } of figures) {
        y += LINE_HEIGHT;
        parts.push(text(12, y, name, 'name'), bar(y, figure, most), label(y, figure));
      }
    }
    y += 12;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 12}" width="${WIDTH}" role="img">
<title>${escaped(tables.map(({ title }) => title).join('; '))}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #14211b }
.title { font-size: 16px; font-weight: 700 }
.column { font-weight: 600; fill: #4a5a51 }
.bar { fill: #0b6b47 }
.spread { stroke: #c47d00; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e9f2ec }
  .column { fill: #aebdb4 }
  .bar { fill: #3f9d73 }
}
</style>
${parts.join('\n')}
</svg>
`;
}

export function columnsOf(rows: Row[]): string[] {
  return [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
}

function bar(y: number, { values }: Figure, most: number): string {
  const scale = most > 0 ? BAR_WIDTH / most : 0;
  const at = (value: number) => (NAME_WIDTH + Math.max(0, value) * scale).toFixed(1);
  const width = (Math.max(0, median(values)) * scale).toFixed(1);
  const middle = y - 5;
  return [
    `<rect class="bar" x="${NAME_WIDTH}" y="${middle - BAR_HEIGHT / 2}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<line class="spread" x1="${at(Math.min(...values))}" x2="${at(Math.max(...values))}" y1="${middle}" y2="${middle}"/>`,
  ].join('');
}

function label(y: number, figure: Figure): string {
  return text(NAME_WIDTH + BAR_WIDTH + 8, y, figureText(figure), 'figure');
}

function text(x: number, y: number, content: string, className: string): string {
  return `<text class="${className}" x="${x}" y="${y}">${escaped(content)}</text>`;
}

/** Without the marks of code that a table in a text has. */
function escaped(content: string): string {
  return content.replaceAll('`', '').replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
