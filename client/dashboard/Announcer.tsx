import { useEffect, useRef, useState } from 'react';
import { announcement } from './announcement.ts';
import type { TokenState } from './tokenState.ts';

/** Says aloud, and shows nowhere, what there is to say of the token's time. */
export function Announcer({ state }: { state: TokenState }) {
  const before = useRef<TokenState | null>(null);
  const [said, setSaid] = useState({ text: '', count: 0 });

  useEffect(() => {
    const text = announcement(before.current, state);
    before.current = state;
    if (text !== null) setSaid(({ count }) => ({ text, count: count + 1 }));
  }, [state]);

  // The key makes the same words new again, so that they are said again.
  return (
    <p className="visually-hidden" role="status">
      <span key={said.count}>{said.text}</span>
    </p>
  );
}
