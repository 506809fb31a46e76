import type { FocusEvent, MouseEvent } from 'react';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Handlers for a read-only field: its whole text is selected, unless a part was selected by dragging. */
export const selectsAll = {
  onFocus: ({ currentTarget }: FocusEvent<Field>) => currentTarget.select(),
  onMouseUp(event: MouseEvent<Field>) {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    // Otherwise Safari ends the selection that the focus made when the mouse button is released.
    if (selectionStart === 0 && selectionEnd === value.length) event.preventDefault();
  },
  onClick({ currentTarget }: MouseEvent<Field>) {
    if (currentTarget.selectionStart === currentTarget.selectionEnd) currentTarget.select();
  },
};
