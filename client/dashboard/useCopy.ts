import { useEffect, useRef, useState } from 'react';
import { track } from '../analytics/analytics.ts';
import { copyText } from './copyText.ts';

const FRESH_FOR_MS = 5_000;

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
