import type { Clock } from './scheduler.ts';

const DOUBLE_PRESS_MS = 400;

export function createDoublePressCheck({ monotonicMs }: Clock) {
  let last = { button: '', at: Number.NEGATIVE_INFINITY };

  /** @param isFirstClick - the browser counts this click of a mouse as a single one, however soon it follows */
  return (button: 'play' | 'create', isFirstClick = false): boolean => {
    const at = monotonicMs();
    const isDouble = !isFirstClick && button === last.button && at - last.at < DOUBLE_PRESS_MS;
    if (!isDouble) last = { button, at };
    return isDouble;
  };
}
