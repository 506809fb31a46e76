import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Moves the focus to `Crear Token` when a button is disabled while it has the focus, which the browser would then drop.
 * @returns the ref for that button
 */
export function useFocusHandedOver(off: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!off || document.activeElement !== button.current) return;
    document.querySelector<HTMLButtonElement>('.clock__create')?.focus();
  }, [off]);
  return button;
}
