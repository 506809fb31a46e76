import { expect, test } from 'vitest';
import { parseAccountExport } from '../../../../../server/cli/commands/import/parseAccountExport.ts';

const ONE = { id: 'a1', username: 'radio@uno', password: 'secreto', company: 'Radio Uno' };
const TWO = { id: 'a2', username: 'radio@dos', password: 'secreto', company: 'Radio Dos' };

const rowsOf = (text: string | Buffer) => parseAccountExport(Buffer.from(text));

test('an export as JSON lines gives each object with its line', () => {
  const text = `\uFEFF${JSON.stringify(ONE)}\r\n\n  \r\n${JSON.stringify(TWO)}`;
  expect(rowsOf(text)).toEqual([
    { place: 'line 1', value: ONE },
    { place: 'line 4', value: TWO },
  ]);
});

test('an export as JSON lines names a line that is not JSON without quoting it', () => {
  expect(rowsOf(`{"password":"hunter2-hunter2"\n${JSON.stringify(TWO)}`)).toEqual([
    { place: 'line 1', fault: 'not JSON: an export is a JSON array, or one JSON object a line' },
    { place: 'line 2', value: TWO },
  ]);
});

test('an export as a JSON array gives each element with its number', () => {
  const text = `\uFEFF\n[${JSON.stringify(ONE, null, 2)},\n7, ${JSON.stringify(TWO)}]\n`;
  expect(rowsOf(text)).toEqual([
    { place: 'row 1', value: ONE },
    { place: 'row 2', value: 7 },
    { place: 'row 3', value: TWO },
  ]);
});

test.each([
  ['a missing comma', `[\n${JSON.stringify(ONE)}\n${JSON.stringify(TWO)}]`, 'line 3'],
  ['text after its end', `[${JSON.stringify(ONE)}]\n{"id":"b"}`, 'line 2'],
])('an export as a JSON array with %s tells the line', (_what, text, place) => {
  expect(rowsOf(text)).toEqual([{ place, fault: 'not JSON; nothing was read' }]);
});

test.each([
  ['a password without quotation marks', '[{"password": hunter2-hunter2}]'],
  ['a password that names a position', '[a at position 7]'],
  ['a comma after the last row', `[${JSON.stringify(ONE)},]`],
])('an export as a JSON array with %s tells how to find it', (_what, text) => {
  const fault = 'not JSON; nothing was read. This names the line: python3 -m json.tool FILE > /dev/null';
  expect(rowsOf(text)).toEqual([{ place: 'the array', fault }]);
});

test('an empty export has no rows', () => {
  for (const text of ['', ' \r\n', ' [ \n ] \n']) expect(rowsOf(text)).toEqual([]);
});

test('a UTF-16 export is refused as a whole', () => {
  const bytes = Buffer.from(`\uFEFF${JSON.stringify([ONE])}`, 'utf16le');
  expect(rowsOf(bytes)).toEqual([{ place: 'line 1', fault: 'not UTF-8 text; nothing was read' }]);
});

test('a line in Latin-1 is refused, and the other lines are read', () => {
  const spanish = Buffer.from(JSON.stringify({ ...ONE, company: 'Radio España' }), 'latin1');
  const lines = Buffer.concat([Buffer.from(`${JSON.stringify(TWO)}\n`), spanish]);
  expect(rowsOf(lines)).toEqual([
    { place: 'line 1', value: TWO },
    { place: 'line 2', fault: 'not UTF-8 text' },
  ]);
});

test('a JSON array in Latin-1 is refused as a whole', () => {
  const bytes = Buffer.from(JSON.stringify([ONE, { ...TWO, company: 'Radio España' }], null, 1), 'latin1');
  expect(rowsOf(bytes)).toEqual([{ place: 'line 12', fault: 'not UTF-8 text; nothing was read' }]);
});
