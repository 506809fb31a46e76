import { type RefObject, useEffect } from 'react';

/** A mouse means that focusing a field opens no on-screen keyboard. */
const WITH_MOUSE = '(hover: hover) and (pointer: fine)';

/**
 * Scrolls to the top and focuses `target` when one screen follows another. On the first screen after a page load,
 * focuses it only with `onLoad`, if there is a mouse and nothing else has the focus.
 */
export function useArrivalFocus(
  target: RefObject<HTMLElement | null>,
  { isFirst, onLoad = false }: { isFirst: boolean; onLoad?: boolean },
): void {
  useEffect(() => {
    if (!isFirst) scrollTo(0, 0);
    const isWanted = onLoad && document.activeElement === document.body && matchMedia(WITH_MOUSE).matches;
    if (!isFirst || isWanted) target.current?.focus();
  }, [target, isFirst, onLoad]);
}
