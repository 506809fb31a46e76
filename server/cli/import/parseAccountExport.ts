export type ExportRow = { place: string } & ({ value: unknown } | { fault: string });

/** An escaped character, a character that structures JSON or lines, or a run of others that are not blank. */
const TOKEN = /\\.|["\n[\]{},]|[^\s"\\[\]{},]+/g;

/**
 * Parses an export of the old document collection: a JSON array or one JSON object a line, in UTF-8. A faulty row leaves the others
 * as they are, unless an array breaks off. No fault quotes the row, which holds a password.
 */
export function parseAccountExport(bytes: Uint8Array): ExportRow[] {
  const text = new TextDecoder().decode(bytes);
  const start = text.search(/\S/);
  if (text[start] === '\u{FFFD}') {
    return [{ place: `line ${lineAt(text, start)}`, fault: 'not UTF-8 text; nothing was read' }];
  }
  return text[start] === '[' ? arrayRows(text, start) : lineRows(text);
}

function lineRows(text: string): ExportRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    return {
      place: `line ${index + 1}`,
      ...parsed(line, 'not JSON: an export is a JSON array, or one JSON object a line'),
    };
  });
}

/** Splits the array at its own commas, so that each element has a line and one that is not JSON spoils no other. */
function arrayRows(text: string, start: number): ExportRow[] {
  const rows: ExportRow[] = [];
  let line = lineAt(text, start);
  let rowLine: number | null = null;
  let rowStart = start + 1;
  let depth = 0;
  let inString = false;
  let isClosed = false;
  const place = () => (rowLine === null ? `line ${line}` : `line ${rowLine}, row ${rows.length + 1}`);
  const brokenOff = (fault: string) => [
    ...rows,
    { place: place(), fault: `${fault}; nothing from here on was read` },
  ];

  for (const { 0: token, index } of text.slice(start + 1).matchAll(TOKEN)) {
    if (token === '\n') {
      if (inString) return brokenOff('a quotation mark is missing in this row');
      line += 1;
      continue;
    }
    if (inString) {
      inString = token !== '"';
      continue;
    }
    if (isClosed) return brokenOff('there is more after the end of the array');
    if (depth === 0 && (token === ',' || token === ']')) {
      const end = start + 1 + index;
      // Ignores an extra comma.
      if (rowLine !== null) rows.push({ place: place(), ...parsed(text.slice(rowStart, end), 'not JSON') });
      rowLine = null;
      rowStart = end + 1;
      isClosed = token === ']';
      continue;
    }
    rowLine ??= line;
    if (token === '"') inString = true;
    else if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth < 0) return brokenOff('a bracket is closed that was never opened');
  }
  if (isClosed) return rows;
  return brokenOff(
    rowLine === null ? 'the file ends before the array does' : 'the file ends inside this row',
  );
}

function parsed(json: string, fault: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return { fault };
  }
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
