import { type RefObject, useEffect } from 'react';

let aScreenWasLeft = false;

/** Takes the focus to where the work goes on when one screen gave way to another; the first one leaves it with the browser. */
export function useArrivalFocus(target: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (aScreenWasLeft) target.current?.focus();
    return () => {
      aScreenWasLeft = true;
    };
  }, [target]);
}
