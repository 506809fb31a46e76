import { type RefObject, useEffect } from 'react';

/** A desk: focus there opens no keyboard over half of the screen. */
const DESK = '(hover: hover) and (pointer: fine)';

let aScreenWasLeft = false;

/**
 * Begins a screen that another one gave way to at its top, with the focus where the work goes on. The first one leaves it with
 * the browser, or takes it `onLoad` too, at a desk, if nothing else has it.
 */
export function useArrivalFocus(target: RefObject<HTMLElement | null>, { onLoad = false } = {}): void {
  useEffect(() => {
    if (aScreenWasLeft) scrollTo(0, 0);
    const wanted = onLoad && document.activeElement === document.body && matchMedia(DESK).matches;
    if (aScreenWasLeft || wanted) target.current?.focus();
    return () => {
      aScreenWasLeft = true;
    };
  }, [target, onLoad]);
}
