import type { MouseEvent } from 'react';

/** Ignores the repeats of a held Enter key: each attempt to sign in counts against a limit, each token asks the provider. */
export function ignoreHeldEnter(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  });
}

const DOUBLE_PRESS_MS = 500;
let lastByKey: { button: EventTarget; at: number } | null = null;

/** Ignores the second press of a double click or a key. Use as `onClickCapture`, which runs before the button's own handler. */
export function ignoreSecondPress(event: MouseEvent): void {
  const byKey = event.detail === 0 && event.nativeEvent.isTrusted;
  const { currentTarget: button, timeStamp: at } = event;
  const tooSoon = byKey && lastByKey?.button === button && at - lastByKey.at < DOUBLE_PRESS_MS;
  if (byKey) lastByKey = { button, at };
  if (event.detail <= 1 && !tooSoon) return;
  event.preventDefault();
  event.stopPropagation();
}
