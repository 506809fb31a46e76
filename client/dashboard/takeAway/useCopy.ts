import { useEffect, useState } from 'react';
import { track } from '../../analytics/track.ts';
import { copyText } from './copyText.ts';

const FRESH_FOR_MS = 5_000;

type Outcome = {
  copied: boolean;
  text: string;
  /** In epoch milliseconds. */
  at: number;
  /** Whether it succeeded less than 5 s ago. */
  fresh: boolean;
  /** Distinguishes two equal outcomes in a row. */
  number: number;
};

/** Copies a text. Keeps the outcome until the text (`current`) changes. */
export function useCopy(current: string | null) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  useEffect(() => {
    if (!outcome?.fresh) return;
    const timer = setTimeout(() => setOutcome({ ...outcome, fresh: false }), FRESH_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  /** @returns whether it was copied */
  async function copy(text: string): Promise<boolean> {
    const copied = await copyText(text);
    if (copied) track('copy');
    setOutcome((last) => ({
      copied,
      text,
      at: Date.now(),
      fresh: copied,
      number: (last?.number ?? 0) + 1,
    }));
    return copied;
  }

  return { copy, outcome: outcome?.text === current ? outcome : null };
}
