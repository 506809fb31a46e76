import { useEffect, useState } from 'react';
import { track } from '../../analytics/track.ts';
import { copyText } from './copyText.ts';

const SHOWN_FOR_MS = 5_000;

/** `number` tells it from the outcome before, which may have been the same. */
type Outcome = { copied: boolean; text: string; number: number };

/**
 * Copies and says how that went, as long as `current` is still the text that was copied: for a while that it did, and for
 * good that it did not.
 */
export function useCopy(current: string | null) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  useEffect(() => {
    if (!outcome?.copied) return;
    const forget = setTimeout(() => setOutcome(null), SHOWN_FOR_MS);
    return () => clearTimeout(forget);
  }, [outcome]);

  /** @returns whether it was copied */
  async function copy(text: string): Promise<boolean> {
    const copied = await copyText(text);
    if (copied) track('copy');
    setOutcome((last) => ({ copied, text, number: (last?.number ?? 0) + 1 }));
    return copied;
  }

  return { copy, outcome: outcome?.text === current ? outcome : null };
}
