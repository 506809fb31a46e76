import { isUtf8 } from 'node:buffer';

export type ExportRow = { place: string } & ({ value: unknown } | { fault: string });

/** The decoder writes it for bytes that are not UTF-8. */
const UNREADABLE = '\u{FFFD}';
const POSITION = / at position (\d+)(?: \(line \d+ column \d+\))?$/;
const FIND_THE_LINE = 'This names the line: python3 -m json.tool FILE > /dev/null';

/**
 * Parses an export of the old document collection: a JSON array or one JSON object a line, in UTF-8. A line that is not
 * JSON in UTF-8 becomes a fault and leaves the others as they are; a fault of an array leaves no row. No fault quotes
 * the export, which holds passwords.
 */
export function parseAccountExport(bytes: Uint8Array): ExportRow[] {
  const text = new TextDecoder().decode(bytes);
  const [first] = text.trimStart();
  if (isUtf8(bytes)) return first === '[' ? arrayRows(text) : lineRows(text);
  if (first !== '[' && first !== UNREADABLE) return lineRows(text, UNREADABLE);
  return [{ place: lineAt(text, text.indexOf(UNREADABLE)), fault: 'not UTF-8 text; nothing was read' }];
}

function arrayRows(text: string): ExportRow[] {
  try {
    const values: unknown[] = JSON.parse(text);
    return values.map((value, index) => ({ place: `row ${index + 1}`, value }));
  } catch (error) {
    const place = placeOf(error, text);
    const fault = 'not JSON; nothing was read';
    return [place === null ? { place: 'the array', fault: `${fault}. ${FIND_THE_LINE}` } : { place, fault }];
  }
}

/** @param unreadable - what a line does not contain unless its bytes are not UTF-8 */
function lineRows(text: string, unreadable?: string): ExportRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `line ${index + 1}`;
    if (unreadable !== undefined && line.includes(unreadable)) return { place, fault: 'not UTF-8 text' };
    try {
      return { place, value: JSON.parse(line) };
    } catch {
      return { place, fault: 'not JSON: an export is a JSON array, or one JSON object a line' };
    }
  });
}

/** Null where V8 quotes the text instead of telling the position. */
function placeOf(error: unknown, text: string): string | null {
  const [, position] = POSITION.exec((error as SyntaxError).message) ?? [];
  return position === undefined ? null : lineAt(text, Number(position));
}

function lineAt(text: string, position: number): string {
  return `line ${text.slice(0, position).split('\n').length}`;
}
