import type { MouseEvent } from 'react';

/** Ignores the repeats of a held Enter key: each attempt to sign in counts against a limit, each token asks the provider. */
export function ignoreHeldEnter(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  });
}

/** Ignores the second click of a double click. Use as `onClickCapture`, which runs before the button's own handler. */
export function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail <= 1) return;
  event.preventDefault();
  event.stopPropagation();
}
