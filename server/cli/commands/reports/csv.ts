import { escapeInvisible } from '../../../output/escapeInvisible.ts';

/**
 * The characters that begin a formula (OWASP, "CSV Injection"), also in full width. Spreadsheets in Spanish start a
 * new cell at each semicolon, even inside quotes.
 */
const FORMULA = /(^|;)(["\s]*[=+\-@＝＋－＠])/g;

/** Formats CSV (RFC 4180) with a header, with texts that are harmless to spreadsheets and terminals. */
export function csv<Row>(rows: Row[], columns: Record<string, (row: Row) => string | number>): string {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  return [Object.keys(columns), ...cells].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const harmless = escapeInvisible(value).replace(FORMULA, "$1'$2");
  return /[",;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
