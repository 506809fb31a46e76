import type { Row, Table } from './benchmark.ts';
import { type Figure, figureText, median } from './figures.ts';

const LEAST_NAME_WIDTH = 200;
const BAR_WIDTH = 350;
const FIGURE_WIDTH = 210;
const BAR_HEIGHT = 16;
const LINE_HEIGHT = 24;
/** Of a letter on average, and a little more: what a font measures is known to browsers alone. */
const NAME_LETTER_WIDTH = 7;
const TITLE_LETTER_WIDTH = 9;

/**
 * The tables as bars, with a thin line between what the rounds lay. A column is a group of bars that share a scale.
 * @returns an SVG document that follows the reader's light or dark scheme
 */
export function chartSvg(tables: Table[]): string {
  const longestName = Math.max(...tables.flatMap(({ rows }) => rows.map(({ name }) => name.length)), 0);
  const nameWidth = Math.max(LEAST_NAME_WIDTH, 24 + longestName * NAME_LETTER_WIDTH);
  const width = nameWidth + BAR_WIDTH + FIGURE_WIDTH;
  const parts: string[] = [];
  let y = 8;
  for (const { title, rows } of tables) {
    for (const [index, line] of linesOf(title, width / TITLE_LETTER_WIDTH).entries()) {
      y += index === 0 ? 28 : LINE_HEIGHT;
      parts.push(text(0, y, line, 'title'));
    }
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
        parts.push(
          text(12, y, name, 'name'),
          bar(nameWidth, y, figure, most),
          text(nameWidth + BAR_WIDTH + 8, y, figureText(figure), 'figure'),
        );
      }
    }
    y += 12;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 12}" width="${width}" role="img">
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

function bar(x: number, y: number, { values }: Figure, most: number): string {
  const scale = most > 0 ? BAR_WIDTH / most : 0;
  const at = (value: number) => (x + Math.max(0, value) * scale).toFixed(1);
  const width = (Math.max(0, median(values)) * scale).toFixed(1);
  const middle = y - 5;
  return [
    `<rect class="bar" x="${x}" y="${middle - BAR_HEIGHT / 2}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<line class="spread" x1="${at(Math.min(...values))}" x2="${at(Math.max(...values))}" y1="${middle}" y2="${middle}"/>`,
  ].join('');
}

/** Broken between words, so that none but a long word is longer. */
function linesOf(content: string, mostLetters: number): string[] {
  const lines: string[] = [];
  for (const word of content.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > mostLetters) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function text(x: number, y: number, content: string, className: string): string {
  return `<text class="${className}" x="${x}" y="${y}">${escaped(content)}</text>`;
}

/** Without the marks of code that a table in a text has. */
function escaped(content: string): string {
  return content.replaceAll('`', '').replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
