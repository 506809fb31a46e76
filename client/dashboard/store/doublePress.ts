import type { Clock } from './scheduler.ts';

const DOUBLE_PRESS_MS = 400;

/**
 * Returns a function that says whether a press is the second of a double press, by mouse, finger, key or media key. A
 * press of another button in between makes it a press of its own.
 */
export function createPressFilter({ monotonicMs }: Clock) {
  let last = { button: '', at: Number.NEGATIVE_INFINITY };
  return (button: 'play' | 'create'): boolean => {
    const at = monotonicMs();
    if (button === last.button && at - last.at < DOUBLE_PRESS_MS) return true;
    last = { button, at };
    return false;
  };
}
