import type { Clock } from './scheduler.ts';

const DOUBLE_PRESS_MS = 400;

/** Tells the second press of a double press, unless another button was pressed in between. */
export function createPressFilter({ monotonicMs }: Clock) {
  let last = { button: '', at: Number.NEGATIVE_INFINITY };

  /** @param isFirstClick - the browser, which counts the clicks of a mouse by itself, takes this one for a first */
  return (button: 'play' | 'create', isFirstClick = false): boolean => {
    const at = monotonicMs();
    const isDouble = !isFirstClick && button === last.button && at - last.at < DOUBLE_PRESS_MS;
    if (!isDouble) last = { button, at };
    return isDouble;
  };
}
