export type ExportRow = { place: string } & ({ value: unknown } | { fault: string });

const POSITION = / at position (\d+)(?: \(line \d+ column \d+\))?$/;

/**
 * Parses an export of the old document collection: a JSON array or one JSON object a line, in UTF-8. A line that is
 * not JSON leaves the others as they are, a fault of an array leaves no row. No fault quotes the export, which holds
 * passwords.
 */
export function parseAccountExport(bytes: Uint8Array): ExportRow[] {
  const text = new TextDecoder().decode(bytes);
  const [first] = text.trimStart();
  if (first === '\u{FFFD}') return [{ place: 'line 1', fault: 'not UTF-8 text; nothing was read' }];
  return first === '[' ? arrayRows(text) : lineRows(text);
}

function arrayRows(text: string): ExportRow[] {
  try {
    const values: unknown[] = JSON.parse(text);
    return values.map((value, index) => ({ place: `row ${index + 1}`, value }));
  } catch (error) {
    return [{ place: placeOf(error, text), fault: 'not JSON; nothing was read' }];
  }
}

function lineRows(text: string): ExportRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `line ${index + 1}`;
    try {
      return { place, value: JSON.parse(line) };
    } catch {
      return { place, fault: 'not JSON: an export is a JSON array, or one JSON object a line' };
    }
  });
}

function placeOf(error: unknown, text: string): string {
  const [, position] = POSITION.exec((error as SyntaxError).message) ?? [];
  return position === undefined ? 'the array' : `line ${text.slice(0, Number(position)).split('\n').length}`;
}
