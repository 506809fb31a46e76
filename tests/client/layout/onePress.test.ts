import type { MouseEvent } from 'react';
import { expect, test } from 'vitest';
import { ignoreSecondPress } from '../../../client/layout/onePress.ts';

/** Returns whether a press of the button reaches its handler. `detail` counts the clicks of a mouse, and is 0 for a key. */
function reaches(button: object, detail: number, timeStamp: number): boolean {
  let stopped = false;
  const press = {
    detail,
    timeStamp,
    currentTarget: button,
    nativeEvent: { isTrusted: true },
    preventDefault() {},
    stopPropagation() {
      stopped = true;
    },
  };
  ignoreSecondPress(press as unknown as MouseEvent);
  return !stopped;
}

test('the second click of a double click is ignored', () => {
  const button = {};
  expect([reaches(button, 1, 0), reaches(button, 2, 100), reaches(button, 1, 900)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('the second of two presses of a key within half a second is ignored', () => {
  const button = {};
  expect([reaches(button, 0, 0), reaches(button, 0, 300), reaches(button, 0, 900)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('the same key may press another button at once', () => {
  expect([reaches({}, 0, 0), reaches({}, 0, 10)]).toEqual([true, true]);
});
