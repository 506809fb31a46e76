import { type RefObject, useLayoutEffect, useRef } from 'react';

export const TOKEN_HEADING_ID = 'token-heading';

/**
 * Moves the focus to the token's heading when the focused control is disabled or hidden, so that the browser does not
 * drop it. On a heading a stray Enter is harmless. Does not scroll: on a phone the partner is looking at the player.
 * @returns the ref for that control
 */
export function useFocusHandedOver<Control extends HTMLElement>(off: boolean): RefObject<Control | null> {
  const control = useRef<Control>(null);
  useLayoutEffect(() => {
    if (!off || document.activeElement !== control.current) return;
    document.getElementById(TOKEN_HEADING_ID)?.focus({ preventScroll: true });
  }, [off]);
  return control;
}
