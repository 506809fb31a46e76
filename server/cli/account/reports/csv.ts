import { escapeInvisible } from '../../../observing/sanitizing.ts';

/**
 * The characters that begin a formula (OWASP, "CSV Injection"), also in full width. Spreadsheets in Spanish start a
 * new cell at each semicolon, even inside quotes.
 */
const FORMULA = /(^|;)(["\s]*[=+\-@＝＋－＠])/g;

/** `spreadsheet`: as spreadsheets in Spanish read it; `plain`: with commas (RFC 4180), for programs. */
export type CsvFormat = 'spreadsheet' | 'plain';

const SEPARATORS: Record<CsvFormat, string> = { spreadsheet: ';', plain: ',' };
/** Tells Excel that the file is UTF-8; it would read Windows-1252. */
const BYTE_ORDER_MARK = '\u{FEFF}';

export function csv<Row>(
  rows: Row[],
  format: CsvFormat,
  columns: Record<string, (row: Row) => string | number>,
): string {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  const lines = [Object.keys(columns), ...cells].map((row) => row.map(csvField).join(SEPARATORS[format]));
  return (format === 'spreadsheet' ? BYTE_ORDER_MARK : '') + lines.map((line) => `${line}\r\n`).join('');
}

function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const harmless = escapeInvisible(value).replace(FORMULA, "$1'$2");
  return /[",;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
