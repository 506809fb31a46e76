import { type RefObject, useEffect } from 'react';

/** A desk: focus there opens no keyboard over half of the screen. */
const DESK = '(hover: hover) and (pointer: fine)';

let aScreenWasLeft = false;

/**
 * Takes the focus to where the work goes on when one screen gave way to another. The first one leaves it with the browser, or
 * takes it `onLoad` too, at a desk, if nothing else has it.
 */
export function useArrivalFocus(target: RefObject<HTMLElement | null>, { onLoad = false } = {}): void {
  useEffect(() => {
    const wanted = onLoad && document.activeElement === document.body && matchMedia(DESK).matches;
    if (aScreenWasLeft || wanted) target.current?.focus();
    return () => {
      aScreenWasLeft = true;
    };
  }, [target, onLoad]);
}
