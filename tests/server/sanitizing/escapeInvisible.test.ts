import { expect, test } from 'vitest';
import { escapeInvisibleInLines } from '../../../server/sanitizing/escapeInvisible.ts';

test('each line of a text shows its invisible characters', () => {
  expect(escapeInvisibleInLines('uno\u202e\ndos\u001b\r\ntres\u0000')).toBe(
    'uno\\u202e\ndos\\u001b\r\ntres\\u0000',
  );
});
