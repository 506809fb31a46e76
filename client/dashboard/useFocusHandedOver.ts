import { type RefObject, useLayoutEffect, useRef } from 'react';

/** The heading that gets the focus of a button that is disabled. */
export const TOKEN_HEADING_ID = 'token-heading';

/**
 * Moves the focus to the token's heading when the focused button is disabled; otherwise the browser would drop the focus. A key meant
 * for the button does nothing on a heading.
 * @returns the ref for that button
 */
export function useFocusHandedOver(off: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!off || document.activeElement !== button.current) return;
    document.getElementById(TOKEN_HEADING_ID)?.focus();
  }, [off]);
  return button;
}
