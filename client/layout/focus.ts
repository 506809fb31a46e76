import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

export const TOKEN_HEADING_ID = 'token-heading';
export const USERNAME_ID = 'username';
/** A mouse means that focusing a field opens no on-screen keyboard. */
const WITH_MOUSE = '(hover: hover) and (pointer: fine)';

/**
 * Moves the focus to the token's heading, on the login screen to the first field, before the element that contains it
 * is disabled, hidden or removed. Otherwise the browser drops the focus; Chromium up to 147 does so as soon as a
 * control is disabled, before any effect runs. On a heading a stray Enter is harmless. Does not scroll: on a phone the
 * partner is looking at the player.
 * @returns the ref for the element, and `isOff`: `off`, delayed by one rendering until the focus has moved
 */
export function useFocusHandedOver<Target extends HTMLElement>(off = false) {
  const ref = useRef<Target>(null);
  const [focusMoved, setFocusMoved] = useState(off);
  // No layout effect: an overlay that closes gives the focus back in its effect's cleanup, which runs before this.
  useEffect(() => {
    if (off) moveFocusFrom(ref.current);
    setFocusMoved(off);
  }, [off]);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => moveFocusFrom(element);
  }, []);
  return { ref, isOff: off && focusMoved };
}

function moveFocusFrom(element: HTMLElement | null): void {
  if (!element?.contains(document.activeElement)) return;
  const next = document.getElementById(TOKEN_HEADING_ID) ?? document.getElementById(USERNAME_ID);
  next?.focus({ preventScroll: true });
}

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
