import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For a button that can be switched off while it has the focus, which a browser then drops: hands it to the button that makes
 * a token, the one thing left to do.
 * @returns the button's ref
 */
export function useFocusHandedOver(off: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!off || document.activeElement !== button.current) return;
    document.querySelector<HTMLButtonElement>('.clock__create')?.focus();
  }, [off]);
  return button;
}
