import { useEffect, useState } from 'react';
import { track } from '../../analytics/track.ts';
import { copyText } from './copyText.ts';

const SHOWN_FOR_MS = 5_000;

/** `number` distinguishes an outcome from an equal one before it. */
type Outcome = { copied: boolean; text: string; number: number };

/** Copies a text; shows success for 5 s, failure until the text (`current`) changes. */
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
