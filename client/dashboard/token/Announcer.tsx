import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { announcement } from './announcement.ts';
import type { TokenState } from './tokenState.ts';

const READ_FOR_MS = 5_000;

/**
 * Says aloud, and shows nowhere, what there is to say of the token's time. It is taken back once it was heard, and when a
 * failure is told, so that whoever reads the page later finds nothing that no longer holds.
 */
export function Announcer({ state, failure }: { state: TokenState; failure: Failure | undefined }) {
  const before = useRef<TokenState | null>(null);
  const [said, setSaid] = useState({ text: '', count: 0 });

  useEffect(() => {
    const text = announcement(before.current, state);
    before.current = state;
    if (text !== null) setSaid(({ count }) => ({ text, count: count + 1 }));
  }, [state]);

  useEffect(() => {
    if (failure) setSaid(takenBack);
  }, [failure]);

  useEffect(() => {
    if (said.text === '') return;
    const timer = setTimeout(() => setSaid(takenBack), READ_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);

  // The key makes the same words new again, so that they are said again.
  return (
    <p className="visually-hidden" role="status">
      <span key={said.count}>{said.text}</span>
    </p>
  );
}

function takenBack({ count }: { count: number }) {
  return { text: '', count };
}
