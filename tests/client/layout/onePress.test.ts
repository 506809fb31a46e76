import type { MouseEvent } from 'react';
import { expect, test } from 'vitest';
import { createPressFilter } from '../../../client/layout/onePress.ts';

/** Returns which presses of a button reach its handler. `detail` counts the clicks of a mouse, and is 0 for a key. */
function reaching(...presses: { detail: number; timeStamp: number }[]): boolean[] {
  const filter = createPressFilter();
  return presses.map((press) => {
    let stopped = false;
    const event = { ...press, nativeEvent: { isTrusted: true }, preventDefault() {} };
    filter({ ...event, stopPropagation: () => (stopped = true) } as unknown as MouseEvent);
    return !stopped;
  });
}

test('the second click of a double click is ignored', () => {
  const clicks = [
    { detail: 1, timeStamp: 0 },
    { detail: 2, timeStamp: 100 },
    { detail: 1, timeStamp: 900 },
  ];
  expect(reaching(...clicks)).toEqual([true, false, true]);
});

test('the second press of a key within half a second is ignored', () => {
  const presses = [0, 499, 999].map((timeStamp) => ({ detail: 0, timeStamp }));
  expect(reaching(...presses)).toEqual([true, false, true]);
});
