import type { MouseEvent } from 'react';

/**
 * One press of Enter is one deed, however long it is held: each attempt to sign in counts against a limit, each token is a call of
 * the provider.
 */
export function ignoreHeldEnter(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  });
}

/** For a button: a double click is one deed too. To be told in the capture phase, ahead of what the button does. */
export function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail <= 1) return;
  event.preventDefault();
  event.stopPropagation();
}
