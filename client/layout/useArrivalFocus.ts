import { makeVar } from '@apollo/client';
import { type RefObject, useEffect } from 'react';

/** With a mouse, focusing a field opens no on-screen keyboard. */
const WITH_MOUSE = '(hover: hover) and (pointer: fine)';

const screenWasLeft = makeVar(false);

/**
 * Scrolls a screen that follows another one to its top and focuses `target`. The first screen after a page load does so
 * only with `onLoad`, with a mouse and if nothing has the focus.
 */
export function useArrivalFocus(target: RefObject<HTMLElement | null>, { onLoad = false } = {}): void {
  useEffect(() => {
    if (screenWasLeft()) scrollTo(0, 0);
    const wanted = onLoad && document.activeElement === document.body && matchMedia(WITH_MOUSE).matches;
    if (screenWasLeft() || wanted) target.current?.focus();
    return () => {
      screenWasLeft(true);
    };
  }, [target, onLoad]);
}
