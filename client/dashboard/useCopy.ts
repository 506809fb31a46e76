import { useEffect, useState } from 'react';
import { track } from '../analytics/track.ts';
import { copyText } from './copyText.ts';

const SHOWN_FOR_MS = 5_000;

/** Copies, and for a while says how that went, as long as `current` is still the text that was copied. */
export function useCopy(current: string | null) {
  const [outcome, setOutcome] = useState<{ copied: boolean; text: string } | null>(null);

  useEffect(() => {
    if (!outcome) return;
    const forget = setTimeout(() => setOutcome(null), SHOWN_FOR_MS);
    return () => clearTimeout(forget);
  }, [outcome]);

  async function copy(text: string): Promise<void> {
    const copied = await copyText(text);
    if (copied) track('copy');
    setOutcome({ copied, text });
  }

  return { copy, outcome: outcome?.text === current ? outcome : null };
}
