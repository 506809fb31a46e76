import { expect, test } from 'vitest';
import { csv } from '../../../../server/cli/reports/csv.ts';

test.each([
  ['Radio Uno', 'Radio Uno'],
  ['Radio "Uno", S.A.', '"Radio ""Uno"", S.A."'],
  ['Radio Uno; Radio Dos', '"Radio Uno; Radio Dos"'],
  ['=1+1', "'=1+1"],
  ['+34 Radio', "'+34 Radio"],
  ['-Radio', "'-Radio"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠A1', "'＠A1"],
  [' =1+1', "' =1+1"],
  ['\t=1+1', '\\u0009=1+1'],
  ['\r=1+1', '\\u000d=1+1'],
  // A spreadsheet in Spanish reads `;` as the end of a cell here, quotes or not.
  ['Radio;=1+1', `"Radio;'=1+1"`],
  ['Radio; @A1', `"Radio;' @A1"`],
  ['Radio;"=1+1"', `"Radio;'""=1+1"""`],
  ['2026-11-20T21:03:00.500Z', '2026-11-20T21:03:00.500Z'],
  ['2001:db8::1', '2001:db8::1'],
  [40, '40'],
  [-1.5, '-1.5'],
  ['', ''],
])('%j is written so that no spreadsheet splits it or runs a formula: %s', (value, field) => {
  expect(csv(['first', 'second'], [['x', value]])).toBe(`first,second\r\nx,${field}\r\n`);
});
