/** A browser may wait for a permission that nobody gives. */
const LONGEST_WAIT_MS = 2_000;

/**
 * Copies a text, also over plain http, where the Clipboard API is missing. Call it inside the click handler.
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await Promise.race([navigator.clipboard.writeText(text), rejectedLater()]);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function rejectedLater(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('The clipboard does not answer')), LONGEST_WAIT_MS);
  });
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const carrier = document.createElement('textarea');
  carrier.className = 'visually-hidden';
  carrier.readOnly = true;
  carrier.value = text;
  document.body.append(carrier);
  carrier.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    carrier.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
