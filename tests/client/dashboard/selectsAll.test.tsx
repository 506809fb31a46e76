import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { selectsAll } from '../../../client/dashboard/selectsAll.ts';

afterEach(cleanup);

function fieldSelected(start: number, end: number) {
  render(<input readOnly defaultValue="0123456789" {...selectsAll} />);
  const field = screen.getByRole<HTMLInputElement>('textbox');
  field.setSelectionRange(start, end);
  return field;
}

test.each([
  ['is focused', 'focus', [5, 5], '0123456789'],
  ['is clicked where the click removed the selection', 'click', [5, 5], '0123456789'],
  ['was selected in part by dragging', 'click', [2, 5], '234'],
] as const)('a field that %s has the right selection', (_, event, [start, end], selected) => {
  const field = fieldSelected(start, end);
  fireEvent[event](field);
  expect(field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)).toBe(selected);
});

test.each([
  ['the whole text keeps it', 0, 10, true],
  ['a part is left to the browser', 2, 5, false],
] as const)('a mouse button that is released over %s', (_, start, end, keeps) => {
  // False means that the browser does not get to change the selection.
  expect(fireEvent.mouseUp(fieldSelected(start, end))).toBe(!keeps);
});
