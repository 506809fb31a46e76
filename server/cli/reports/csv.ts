import { visible } from '../../observing/visibleText.ts';

/** The characters with which a spreadsheet begins a formula (OWASP, "CSV Injection"), also in full width. */
const FORMULA = /^[=+\-@＝＋－＠]/;

/** Formats CSV (RFC 4180) with a header, with texts that are harmless to spreadsheets and terminals. */
export function csv(header: string[], rows: Array<Array<string | number>>): string {
  return [header, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

function csvField(value: string | number): string {
  const text = visible(String(value));
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
