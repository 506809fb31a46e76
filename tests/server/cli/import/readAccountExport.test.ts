import { describe, expect, test } from 'vitest';
import { type ExportRow, readAccountExport } from '../../../../server/cli/import/readAccountExport.ts';

const ONE = { id: 'a1', username: 'radio@uno', password: 'secreto', company: 'Radio "Uno" [{,\\]} Ñandú 🎧' };
const TWO = { id: 'a2', username: 'radio@dos', password: 'secreto', company: 'Radio Dos' };
const ROW_MAX_LENGTH = 1_048_576;

describe('an export as JSON lines', () => {
  test('gives each object with its line; blank lines count but are no rows, nor is a byte order mark one', async () => {
    const text = `\uFEFF${JSON.stringify(ONE)}\r\n\n  \r\n${JSON.stringify(TWO)}`;
    expect(await rowsOf(text)).toEqual([
      { place: 'line 1', value: ONE },
      { place: 'line 4', value: TWO },
    ]);
  });

  test('names a line that is not JSON without quoting it, and goes on', async () => {
    const rows = await rowsOf(`{"password":"hunter2-hunter2"\n${JSON.stringify(TWO)}`);
    expect(rows).toEqual([
      { place: 'line 1', fault: 'not JSON: an export is a JSON array, or one JSON object a line' },
      { place: 'line 2', value: TWO },
    ]);
  });

  test('refuses a line beyond the longest without holding it, and goes on', async () => {
    const rows = await rowsOf(`"${'x'.repeat(ROW_MAX_LENGTH)}"\n${JSON.stringify(TWO)}`);
    expect(rows).toEqual([
      { place: 'line 1', fault: `longer than ${ROW_MAX_LENGTH} characters` },
      { place: 'line 2', value: TWO },
    ]);
  });
});

describe('an export as a JSON array', () => {
  test('gives each element with the line where it begins', async () => {
    const text = `\n[\n  ${JSON.stringify(ONE, null, 2)},\n  ${JSON.stringify(TWO, null, 2)}\n]\n`;
    expect(await rowsOf(text)).toEqual([
      { place: 'line 3, row 1', value: ONE },
      { place: 'line 9, row 2', value: TWO },
    ]);
  });

  test('is read alike wherever the bytes are cut', async () => {
    const text = `\uFEFF \n${JSON.stringify([ONE, 'a\\"', TWO, [[]], 7], null, 1)}\n`;
    const whole = await rowsOf(text);
    expect(whole.map((row) => 'value' in row && row.value)).toEqual([ONE, 'a\\"', TWO, [[]], 7]);
    for (const size of [1, 2, 3, 7]) expect(await rowsOf(text, size)).toEqual(whole);
  });

  test('refuses an element beyond the longest without holding it, and goes on', async () => {
    const rows = await rowsOf(`[{"id":"${'x'.repeat(ROW_MAX_LENGTH)}"},${JSON.stringify(TWO)}]`);
    expect(rows).toEqual([
      { place: 'line 1, row 1', fault: `longer than ${ROW_MAX_LENGTH} characters` },
      { place: 'line 1, row 2', value: TWO },
    ]);
  });

  test('overlooks a comma too many', async () => {
    const rows = await rowsOf(`[${JSON.stringify(ONE)},\n${JSON.stringify(TWO)},\n]`);
    expect(rows.map(({ place }) => place)).toEqual(['line 1, row 1', 'line 2, row 2']);
  });

  test('names an element that is not JSON and goes on', async () => {
    const rows = await rowsOf(`[{"id": undefined},\n{"id":"b" "username":"c"},\n${JSON.stringify(TWO)}]`);
    expect(rows).toEqual([
      { place: 'line 1, row 1', fault: 'not JSON' },
      { place: 'line 2, row 2', fault: 'not JSON' },
      { place: 'line 3, row 3', value: TWO },
    ]);
  });

  test.each([
    [
      'inside a row',
      `[\n${JSON.stringify(ONE)},\n{"id":\n"a`,
      'line 3, row 2',
      'the file ends inside this row',
    ],
    ['between rows', `[\n${JSON.stringify(ONE)},\n`, 'line 3', 'the file ends before the array does'],
    [
      'at a missing quotation mark',
      `[\n${JSON.stringify(ONE)},\n{"id":"a},\n{"id":"b"}]`,
      'line 3, row 2',
      'a quotation mark is missing in this row',
    ],
    [
      'at a bracket too many',
      `[\n${JSON.stringify(ONE)}},\n{"id":"b"}]`,
      'line 2, row 1',
      'a bracket is closed that was never opened',
    ],
    [
      'at text after its end',
      `[${JSON.stringify(ONE)}]\n{"id":"b"}`,
      'line 2',
      'there is more after the end of the array',
    ],
  ])(
    'that breaks off %s says where, and nothing from there on is read',
    async (_where, text, place, fault) => {
      const rows = await rowsOf(text);
      expect(rows.at(-1)).toEqual({ place, fault: `${fault}; nothing from here on was read` });
      expect(rows.slice(0, -1)).toEqual(
        fault.startsWith('a bracket') ? [] : [{ place: expect.any(String), value: ONE }],
      );
    },
  );
});

test('an empty export has no rows', async () => {
  for (const text of ['', ' \r\n', ' [ \n ] \n']) expect(await rowsOf(text)).toEqual([]);
});

test('a UTF-16 export is refused as a whole', async () => {
  const bytes = Buffer.from(`\uFEFF${JSON.stringify([ONE])}`, 'utf16le');
  expect(await rowsOf(bytes)).toEqual([{ place: 'line 1', fault: 'not UTF-8 text; nothing was read' }]);
});

test('text in another encoding is not taken for what it is not', async () => {
  const [row] = await rowsOf(Buffer.from(JSON.stringify({ company: 'Ñandú' }), 'latin1'));
  expect(row).toEqual({ place: 'line 1', value: { company: '\uFFFDand\uFFFD' } });
});

async function rowsOf(text: string | Buffer, chunkBytes = 65_536) {
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const rows: ExportRow[] = [];
  for await (const row of readAccountExport(chunks())) rows.push(row);
  return rows;
}
