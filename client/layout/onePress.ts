import type { MouseEvent } from 'react';

const DOUBLE_PRESS_MS = 500;

/** Otherwise holding Enter would use up the limit of sign-ins, or ask the provider for many tokens. */
export function ignoreHeldEnter(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  });
}

export function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) ignore(event);
}

/**
 * Returns an `onClickCapture` that ignores the second of two clicks or key presses in quick succession. For a button
 * whose first press may already have succeeded.
 */
export function createPressFilter(): (event: MouseEvent) => void {
  let lastByKey = Number.NEGATIVE_INFINITY;
  return (event) => {
    ignoreSecondClick(event);
    const byKey = event.detail === 0 && event.nativeEvent.isTrusted;
    if (!byKey) return;
    if (event.timeStamp - lastByKey < DOUBLE_PRESS_MS) ignore(event);
    lastByKey = event.timeStamp;
  };
}

function ignore(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
