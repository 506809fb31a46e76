/** One row of an export: its value, or why it cannot be read. `place` names its line for a person. */
export type ExportRow = { place: string } & ({ value: unknown } | { fault: string });

/** The limit in UTF-16 code units; a row of the old collection has a few hundred. */
const ROW_MAX_LENGTH = 1_048_576;

/**
 * Reads an export of the old document collection as its bytes come in: a JSON array or one JSON object a line, in UTF-8. A
 * faulty row does not end the reading, unless an array breaks off. No fault quotes the row, which holds a password.
 */
export async function* readAccountExport(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ExportRow> {
  const decoder = new TextDecoder();
  let rows: ArrayRows | LineRows | null = null;
  let line = 1;
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (rows !== null) yield* rows.read(text);
    else {
      const start = text.search(/\S/);
      const blank = start === -1 ? text : text.slice(0, start);
      line += blank.split('\n').length - 1;
      if (start === -1) continue;
      if (text[start] === '\u{FFFD}') {
        yield { place: `line ${line}`, fault: 'not UTF-8 text; nothing was read' };
        return;
      }
      rows = text[start] === '[' ? new ArrayRows(line) : new LineRows(line);
      yield* rows.read(text.slice(text[start] === '[' ? start + 1 : start));
    }
    if (rows.over) return;
  }
  if (rows === null) return;
  yield* rows.read(decoder.decode());
  if (!rows.over) yield* rows.end();
}

/** Reads one JSON object a line. Blank lines are counted and skipped. */
class LineRows {
  readonly over = false;
  private readonly row = new RowText();

  constructor(private line: number) {}

  *read(text: string): Generator<ExportRow> {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.row.add(text.slice(from, at));
      yield* this.end();
      this.line += 1;
      from = at + 1;
    }
    this.row.add(text.slice(from));
  }

  *end(): Generator<ExportRow> {
    const row = this.row.take('not JSON: an export is a JSON array, or one JSON object a line');
    if (row !== null) yield { place: `line ${this.line}`, ...row };
  }
}

/** Reads a JSON array after its `[`: splits it at its own commas and parses the elements one by one. */
class ArrayRows {
  over = false;
  private readonly row = new RowText();
  private rowNumber = 1;
  private rowLine: number | null = null;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private closed = false;

  constructor(private line: number) {}

  *read(text: string): Generator<ExportRow> {
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (character === '\n') {
        if (this.inString) return yield this.breakOff('a quotation mark is missing in this row');
        this.line += 1;
      } else if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (character === '\\') this.escaped = true;
        else if (character === '"') this.inString = false;
      } else if (character > ' ') {
        if (this.closed) return yield this.breakOff('there is more after the end of the array');
        if (this.depth === 0 && (character === ',' || character === ']')) {
          this.row.add(text.slice(from, at));
          from = at + 1;
          yield* this.endRow();
          this.closed = character === ']';
          continue;
        }
        this.rowLine ??= this.line;
        if (character === '"') this.inString = true;
        else if (character === '{' || character === '[') this.depth += 1;
        else if (character === '}' || character === ']') {
          if (this.depth === 0) return yield this.breakOff('a bracket is closed that was never opened');
          this.depth -= 1;
        }
      }
    }
    this.row.add(text.slice(from));
  }

  *end(): Generator<ExportRow> {
    if (this.rowLine !== null) yield this.breakOff('the file ends inside this row');
    else if (!this.closed) yield this.breakOff('the file ends before the array does');
  }

  /** Skips a missing element, as after a comma too many. */
  private *endRow(): Generator<ExportRow> {
    const place = this.place();
    const row = this.row.take('not JSON');
    this.rowLine = null;
    if (row === null) return;
    this.rowNumber += 1;
    yield { place, ...row };
  }

  private breakOff(fault: string): ExportRow {
    this.over = true;
    return { place: this.place(), fault: `${fault}; nothing from here on was read` };
  }

  private place(): string {
    return this.rowLine === null ? `line ${this.line}` : `line ${this.rowLine}, row ${this.rowNumber}`;
  }
}

/** Collects the text of one row, and drops one that is too long. */
class RowText {
  private text = '';
  private tooLong = false;

  add(piece: string): void {
    this.tooLong ||= this.text.length + piece.length > ROW_MAX_LENGTH;
    this.text = this.tooLong ? '' : this.text + piece;
  }

  /** Returns the row, `fault` if it is not JSON, or null if it is blank; then starts the next row. */
  take(fault: string): { value: unknown } | { fault: string } | null {
    const { text, tooLong } = this;
    this.text = '';
    this.tooLong = false;
    if (tooLong) return { fault: `longer than ${ROW_MAX_LENGTH} characters` };
    if (text.trim() === '') return null;
    try {
      return { value: JSON.parse(text) };
    } catch {
      return { fault };
    }
  }
}
