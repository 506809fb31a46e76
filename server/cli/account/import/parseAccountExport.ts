import { isUtf8 } from 'node:buffer';

export type ExportRow = { place: string } & ({ value: unknown } | { fault: string });

const REPLACEMENT_CHARACTER = '\u{FFFD}';
const POSITION = / at position (\d+)(?: \(line \d+ column \d+\))?$/;
const NOT_JSON = 'not JSON; nothing was read';
const FIND_THE_LINE = 'This names the line: python3 -m json.tool FILE > /dev/null';
const ONE_PAGE =
  'it is one page of several: ask with its nextPageToken for the next one, and import that too';
const UNKNOWN_SHAPE =
  'no row has "username", "password" or "company"; with the names of your fields, this converts an array: ' +
  "jq -c '.[] | {id: .ID, username: .NAME, password: .PASSWORD, company: .COMPANY}' FILE > accounts.jsonl";

type Parsed = { place: string | null } & ({ value: unknown } | { fault: string });

type Fields = Record<string, unknown>;

const OWN_FIELDS = ['username', 'password', 'company'];
const COLLECTIONS = '__collections__';

/**
 * A line that is not JSON in UTF-8 becomes a fault and leaves the others as they are. One fault stands for an export of
 * which nothing can be read. No fault quotes the export, which holds passwords.
 */
export function parseAccountExport(bytes: Uint8Array): ExportRow[] {
  const text = new TextDecoder().decode(bytes);
  const [first] = text.trimStart();
  const isReadable = isUtf8(bytes);
  if (!isReadable && (first === '[' || first === REPLACEMENT_CHARACTER)) return [notUtf8(text)];
  if (isReadable && first === '[') {
    const parsed = parse(text);
    if ('fault' in parsed) return [arrayFault(parsed.error, text)];
    return numbered([{ place: null, value: parsed.value }]);
  }
  const whole = isReadable ? parse(text) : null;
  if (whole !== null && 'value' in whole) {
    if (isEmpty(whole.value)) return [];
    const more = isOnePage(whole.value) ? [{ place: 'the export', fault: ONE_PAGE }] : [];
    return [
      ...numbered([
        { place: isRow(whole.value) ? lineAt(text, text.indexOf('{')) : null, value: whole.value },
      ]),
      ...more,
    ];
  }
  const parsed =
    (isReadable && !startsWithRow(text) ? consecutiveValues(text) : null) ?? lineValues(text, isReadable);
  if (parsed.some((each) => 'value' in each)) return numbered(parsed);
  if (parsed.length === 0) return [];
  if (!isReadable) return [notUtf8(text)];
  const place = whole !== null && 'error' in whole ? placeOf(whole.error, text) : null;
  return [{ place: place ?? 'the export', fault: `${NOT_JSON}. ${FIND_THE_LINE}` }];
}

function numbered(parsed: Parsed[]): ExportRow[] {
  const rows = parsed.flatMap(({ place, ...content }): ExportRow[] => {
    if ('fault' in content) return [{ place: place ?? '', ...content }];
    const values = rowsIn(content.value);
    return values.map((value, index) => {
      const row = `row ${index + 1}`;
      if (place === null) return { place: row, value };
      return { place: values.length === 1 ? place : `${place}, ${row}`, value };
    });
  });
  const isKnown = rows.length === 0 || rows.some((row) => 'value' in row && isRow(row.value));
  return isKnown ? rows : [{ place: 'the export', fault: UNKNOWN_SHAPE }];
}

function isOnePage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'documents' in value && 'nextPageToken' in value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function parse(text: string): { value: unknown } | { fault: true; error: unknown } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: true, error };
  }
}

function startsWithRow(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1);
  return 'value' in parse(first);
}

function lineValues(text: string, isReadable: boolean): Parsed[] {
  return text.split('\n').flatMap((line, index): Parsed[] => {
    if (line.trim() === '') return [];
    const place = `line ${index + 1}`;
    if (!isReadable && line.includes(REPLACEMENT_CHARACTER)) return [{ place, fault: 'not UTF-8 text' }];
    return [valueAt(place, line)];
  });
}

function consecutiveValues(text: string): Parsed[] | null {
  const values: Parsed[] = [];
  let [depth, start, line] = [0, 0, 1];
  let startLine = 1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\n') line += 1;
    else if (sign === '"') {
      if (depth === 0) return null;
      at = endOfString(text, at);
    } else if (sign === '{' || sign === '[') {
      if (depth === 0) [start, startLine] = [at, line];
      depth += 1;
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth < 0) return null;
      if (depth === 0) values.push(valueAt(`line ${startLine}`, text.slice(start, at + 1)));
    } else if (depth === 0 && sign.trim() !== '') return null;
  }
  return depth === 0 ? values : null;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}

function valueAt(place: string, text: string): Parsed {
  const parsed = parse(text);
  if ('value' in parsed) return { place, value: parsed.value };
  return { place, fault: 'not JSON: an export is a JSON array, or one JSON object a line' };
}

function arrayFault(error: unknown, text: string): ExportRow {
  const place = placeOf(error, text);
  return place === null
    ? { place: 'the array', fault: `${NOT_JSON}. ${FIND_THE_LINE}` }
    : { place, fault: NOT_JSON };
}

function notUtf8(text: string): ExportRow {
  return {
    place: lineAt(text, text.indexOf(REPLACEMENT_CHARACTER)),
    fault: 'not UTF-8 text; nothing was read',
  };
}

/** Null where V8 quotes the text instead of telling the position. */
function placeOf(error: unknown, text: string): string | null {
  const [, position] = POSITION.exec((error as SyntaxError).message) ?? [];
  return position === undefined ? null : lineAt(text, Number(position));
}

function lineAt(text: string, position: number): string {
  return `line ${text.slice(0, position).split('\n').length}`;
}

function isRow(value: unknown): boolean {
  return isObject(value) && OWN_FIELDS.some((field) => field in value && !isObject(value[field]));
}

/**
 * Returns the rows in a value of an export, each as `{id, username, password, company}` where it is right. Knows, beside
 * a row and arrays of rows, what Firestore's tools write: documents by id, within `__collections__` or the collection's
 * name or not, and the documents of its REST API. Of several collections those without an account are left out.
 */
function rowsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => (isObject(each) ? rowsIn(each) : [each]));
  if (!isObject(value) || isRow(value)) return [value];
  if (isObject(value.fields) && typeof value.name === 'string') return [restRow(value.name, value.fields)];
  if (isObject(value.document)) return rowsIn(value.document);
  // The REST API ends a query with it.
  if ('readTime' in value) return [];
  if (Array.isArray(value.documents)) return rowsIn(value.documents);
  if (isObject(value[COLLECTIONS])) return rowsInCollections(value[COLLECTIONS]);
  if (Object.values(value).some(isRow)) return rowsById(value);
  const rows = rowsInCollections(value);
  return rows.length > 0 ? rows : [value];
}

function rowsInCollections(collections: Fields): unknown[] {
  return Object.values(collections)
    .filter((collection) => isObject(collection) || Array.isArray(collection))
    .map(rowsIn)
    .filter((rows) => rows.some(isRow))
    .flat();
}

function rowsById(documents: Fields): unknown[] {
  return Object.entries(documents).map(([id, document]) => {
    if (!isObject(document)) return document;
    const { [COLLECTIONS]: _, ...fields } = document;
    return { ...fields, id };
  });
}

function restRow(name: string, fields: Fields): Fields {
  const texts = Object.entries(fields).map(([field, typed]) => [
    field,
    isObject(typed) && typeof typed.stringValue === 'string' ? typed.stringValue : null,
  ]);
  return { ...Object.fromEntries(texts), id: name.slice(name.lastIndexOf('/') + 1) };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
