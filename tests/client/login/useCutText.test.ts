import { expect, test } from 'vitest';
import { cutOff, excessOf } from '../../../client/login/useCutText.ts';

const FULL = 'x'.repeat(32);
const at = (value: string, selectionStart = value.length, selectionEnd = selectionStart) => ({
  value,
  selectionStart,
  selectionEnd,
});

test.each([
  [at(''), FULL, ''],
  [at(''), `${FULL}12345678`, '12345678'],
  [at('1234'), FULL, 'xxxx'],
  [at('1234', 0, 4), FULL, ''],
  [at(FULL), 'y', 'y'],
  [at(FULL, 3, 4), 'y', ''],
  [at(''), `${FULL} \r\n`, ''],
])('of what is inserted in %j the end without room is cut', (field, inserted, cut) => {
  expect(cutOff(field, inserted)).toBe(cut);
});

test('a value that is not full has no excess', () => {
  expect(excessOf('short', 'cut')).toBe('');
  expect(excessOf(FULL, 'cut')).toBe('cut');
  expect(excessOf(`${FULL}12`, '')).toBe('12');
});
