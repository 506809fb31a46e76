import { describe, expect, test } from 'vitest';
import { parseAccountExport } from '../../../../server/cli/import/parseAccountExport.ts';

const ONE = { id: 'a1', username: 'radio@uno', password: 'secreto', company: 'Radio "Uno" [{,\\]} Ñandú 🎧' };
const TWO = { id: 'a2', username: 'radio@dos', password: 'secreto', company: 'Radio Dos' };

const rowsOf = (text: string | Buffer) => parseAccountExport(Buffer.from(text));

describe('an export as JSON lines', () => {
  test('gives each object with its line', () => {
    const text = `\uFEFF${JSON.stringify(ONE)}\r\n\n  \r\n${JSON.stringify(TWO)}`;
    expect(rowsOf(text)).toEqual([
      { place: 'line 1', value: ONE },
      { place: 'line 4', value: TWO },
    ]);
  });

  test('names a line that is not JSON without quoting it', () => {
    expect(rowsOf(`{"password":"hunter2-hunter2"\n${JSON.stringify(TWO)}`)).toEqual([
      { place: 'line 1', fault: 'not JSON: an export is a JSON array, or one JSON object a line' },
      { place: 'line 2', value: TWO },
    ]);
  });
});

describe('an export as a JSON array', () => {
  test('gives each element with the line where it begins', () => {
    const text = `\uFEFF\n[\n  ${JSON.stringify(ONE, null, 2)},\n  "a\\\\\\"",\n  ${JSON.stringify(TWO, null, 2)}, [[]], 7\n]\n`;
    expect(rowsOf(text)).toEqual([
      { place: 'line 3, row 1', value: ONE },
      { place: 'line 9, row 2', value: 'a\\"' },
      { place: 'line 10, row 3', value: TWO },
      { place: 'line 15, row 4', value: [[]] },
      { place: 'line 15, row 5', value: 7 },
    ]);
  });

  test('names an element that is not JSON', () => {
    expect(rowsOf(`[{"id": undefined},\n{"id":"b" "username":"c"},\n${JSON.stringify(TWO)},\n]`)).toEqual([
      { place: 'line 1, row 1', fault: 'not JSON' },
      { place: 'line 2, row 2', fault: 'not JSON' },
      { place: 'line 3, row 3', value: TWO },
    ]);
  });

  const FIRST = `[\n${JSON.stringify(ONE)}`;
  test.each([
    ['inside a row', `${FIRST},\n{"id":\n"a`, 'line 3, row 2', 'the file ends inside this row'],
    ['between rows', `${FIRST},\n`, 'line 3', 'the file ends before the array does'],
    [
      'at a missing quotation mark',
      `${FIRST},\n{"id":"a},\n7]`,
      'line 3, row 2',
      'a quotation mark is missing in this row',
    ],
    [
      'at a bracket too many',
      `${FIRST},7},\n7]`,
      'line 2, row 2',
      'a bracket is closed that was never opened',
    ],
    ['at text after its end', `${FIRST}]\n{"id":"b"}`, 'line 3', 'there is more after the end of the array'],
  ])('that breaks off %s keeps the rows before', (_where, text, place, fault) => {
    expect(rowsOf(text)).toEqual([
      { place: 'line 2, row 1', value: ONE },
      { place, fault: `${fault}; nothing from here on was read` },
    ]);
  });
});

test('an empty export has no rows', () => {
  for (const text of ['', ' \r\n', ' [ \n ] \n']) expect(rowsOf(text)).toEqual([]);
});

test('a UTF-16 export is refused as a whole', () => {
  const bytes = Buffer.from(`\uFEFF${JSON.stringify([ONE])}`, 'utf16le');
  expect(rowsOf(bytes)).toEqual([{ place: 'line 1', fault: 'not UTF-8 text; nothing was read' }]);
});
