import { expect, test } from 'vitest';
import { parseAccountExport } from '../../../../../server/cli/account/import/parseAccountExport.ts';

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
  for (const text of ['', ' \r\n', ' [ \n ] \n', '{}', '{"documents": []}', '[{"readTime": ""}]'])
    expect(rowsOf(text)).toEqual([]);
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

const { id: ID_ONE, ...FIELDS_ONE } = ONE;
const { id: ID_TWO, ...FIELDS_TWO } = TWO;
const typed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, { stringValue: text }]));
const documentOf = ({ id, ...fields }: typeof ONE) => ({
  name: `projects/radio/databases/(default)/documents/accounts/${id}`,
  fields: typed(fields),
  createTime: '2024-01-01T00:00:00Z',
});
const BY_ID = { [ID_ONE]: FIELDS_ONE, [ID_TWO]: { ...FIELDS_TWO, __collections__: {} } };

const FORMS: Array<[string, unknown]> = [
  ['an object by id', BY_ID],
  ['a collection by its name', { accounts: BY_ID }],
  ['a collection by its name, as an array', { accounts: [ONE, TWO] }],
  ['__collections__', { __collections__: { accounts: BY_ID } }],
  [
    '__collections__ beside collections of another kind',
    { __collections__: { logs: { x: { at: 1 } }, accounts: BY_ID } },
  ],
  ['documents of REST', { documents: [documentOf(ONE), documentOf(TWO)] }],
  ['a query of REST', [{ document: documentOf(ONE), readTime: '' }, { document: documentOf(TWO) }]],
];

test.each(FORMS)('an export as %s gives each document, however it is written', (_what, exported) => {
  for (const indent of [undefined, 2]) {
    const rows = rowsOf(JSON.stringify(exported, null, indent));
    expect(rows).toEqual([
      { place: 'row 1', value: ONE },
      { place: 'row 2', value: TWO },
    ]);
  }
});

test.each<[string, unknown[]]>([
  ['rows', [ONE, TWO]],
  ['documents of REST', [documentOf(ONE), documentOf(TWO)]],
])('an export as %s one after the other, as jq writes them, gives each', (_what, values) => {
  const text = values.map((value) => JSON.stringify(value, null, 2)).join('\n');
  const [, second] = [...text.matchAll(/^\{/gm)].map(({ index }) => text.slice(0, index).split('\n').length);
  expect(rowsOf(text)).toEqual([
    { place: 'line 1', value: ONE },
    { place: `line ${second}`, value: TWO },
  ]);
});

test('a page of REST that is not the last says so', () => {
  const rows = rowsOf(JSON.stringify({ documents: [documentOf(ONE)], nextPageToken: 'x' }));
  expect(rows).toEqual([
    { place: 'row 1', value: ONE },
    { place: 'the export', fault: expect.stringContaining('one page of several') },
  ]);
});

test('a field of REST that is no text is none', () => {
  const document = {
    ...documentOf(ONE),
    fields: { ...typed(FIELDS_ONE), password: { integerValue: '123456' } },
  };
  expect(rowsOf(JSON.stringify({ documents: [document] }))).toMatchObject([
    { value: { id: ID_ONE, password: null } },
  ]);
});

test('a bad document among others is told by its number', () => {
  const rows = rowsOf(JSON.stringify({ ...BY_ID, a3: { otro: 1 }, a4: 7 }));
  expect(rows.slice(2)).toEqual([
    { place: 'row 3', value: { id: 'a3', otro: 1 } },
    { place: 'row 4', value: 7 },
  ]);
});

test.each([
  ['other fields', JSON.stringify(Array(200).fill({ correo: 'x', clave: 'hunter2' }), null, 2)],
  ['other fields by id', JSON.stringify({ a: { correo: 'x' }, b: { correo: 'y' } }, null, 2)],
  ['other fields in lines', '{"correo":"x"}\n{"correo":"y"}\n'],
  ['no objects', '"hunter2"\n7\n'],
])('an export with %s gets one sentence that says how to convert it', (_what, text) => {
  expect(rowsOf(text)).toEqual([
    { place: 'the export', fault: expect.stringMatching(/^no row has .* jq -c /) },
  ]);
});

test.each([
  ['an object that is cut off', JSON.stringify(BY_ID, null, 2).slice(0, -5)],
  ['CSV', 'id;username\na1;radio\n'],
])('%s gets one sentence', (_what, text) => {
  expect(rowsOf(text)).toEqual([
    {
      place: expect.stringMatching(/^the export|line \d+$/),
      fault: expect.stringMatching(/^not JSON; nothing was read/),
    },
  ]);
});
