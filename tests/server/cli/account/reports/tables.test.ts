import { expect, test } from 'vitest';
import { csv } from '../../../../../server/cli/account/reports/tables.ts';

test.each([
  ['Radio "Uno", S.A.', '"Radio ""Uno"", S.A."'],
  ['=1+1', "'=1+1"],
  ['+34 Radio', "'+34 Radio"],
  ['-Radio', "'-Radio"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['＠A1', "'＠A1"],
  [' =1+1', "' =1+1"],
  ['\t=1+1', '\\u0009=1+1'],
  // A spreadsheet in Spanish reads `;` as the end of a cell here, quotes or not.
  ['Radio; @A1', `"Radio;' @A1"`],
  ['Radio;"=1+1"', `"Radio;'""=1+1"""`],
  ['2026-11-20T21:03:00.500Z', '2026-11-20T21:03:00.500Z'],
  [-1.5, '-1.5'],
])('%j is a field that no spreadsheet splits or runs', (value, field) => {
  const columns = { first: () => 'x', second: (cell: string | number) => cell };
  expect(csv([value], 'plain', columns)).toBe(`first,second\r\nx,${field}\r\n`);
  expect(csv([value], 'spreadsheet', columns)).toBe(`\u{FEFF}first;second\r\nx;${field}\r\n`);
});
