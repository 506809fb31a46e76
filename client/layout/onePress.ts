import type { MouseEvent } from 'react';

/** A held Enter would otherwise use up the limit of sign-ins, or ask the provider for many tokens. */
export function ignoreHeldEnter(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  });
}

export function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
}
