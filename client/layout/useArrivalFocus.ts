import { type RefObject, useEffect } from 'react';

/** A mouse means that focusing a field opens no on-screen keyboard. */
const WITH_MOUSE = '(hover: hover) and (pointer: fine)';

let screenWasLeft = false;

/**
 * Scrolls to the top and focuses `target` when one screen follows another. On the first screen after a page load,
 * focuses it only with `onLoad`, if there is a mouse and nothing else has the focus.
 */
export function useArrivalFocus(target: RefObject<HTMLElement | null>, { onLoad = false } = {}): void {
  useEffect(() => {
    if (screenWasLeft) scrollTo(0, 0);
    const wanted = onLoad && document.activeElement === document.body && matchMedia(WITH_MOUSE).matches;
    if (screenWasLeft || wanted) target.current?.focus();
    return () => {
      screenWasLeft = true;
    };
  }, [target, onLoad]);
}
