import { visible } from '../../observing/visibleText.ts';

/** What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection"), full-width ones too. */
const FORMULA = /^[=+\-@＝＋－＠]/;

/** CSV (RFC 4180) with a header, for programs; its texts are harmless to spreadsheets and terminals. */
export function csv(header: string[], rows: Array<Array<string | number>>): string {
  return [header, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

function csvField(value: string | number): string {
  const text = visible(String(value));
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
