import { useEffect, useRef, useState } from 'react';
import { track } from '../analytics/analytics.ts';

const FRESH_FOR_MS = 5_000;
/** A browser may wait for a permission that nobody gives. */
const LONGEST_WAIT_MS = 2_000;

type Outcome = {
  copied: boolean;
  text: string;
  at: number;
  fresh: boolean;
};

/**
 * Copies the text of an input, and selects it there if the browser refuses to copy. Keeps the outcome until the text
 * changes.
 * @returns `field` is the ref for the input
 */
export function useCopy(current: string | null) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (!outcome?.fresh) return;
    const timer = setTimeout(() => setOutcome({ ...outcome, fresh: false }), FRESH_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy(text: string): Promise<void> {
    const copied = await copyText(text);
    if (copied) track('copy');
    setOutcome({ copied, text, at: Date.now(), fresh: copied });
    if (copied) return;
    field.current?.focus();
    field.current?.select();
  }

  return { copy, field, outcome: outcome?.text === current ? outcome : null };
}

/**
 * Copies a text, also over plain http, where the Clipboard API is missing. Call it inside the click handler.
 * @returns whether it was copied
 */
async function copyText(text: string): Promise<boolean> {
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
