import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../page/failure.ts';
import type { StoredToken } from '../../page/records.ts';
import type { TokenState } from '../../page/tokenState.ts';
import { useTokenState } from '../useTokenState.ts';
import { announcement } from './announcement.ts';

const READ_FOR_MS = 5_000;

type AnnouncerProps = {
  /** The last token made, valid or not. */
  token: StoredToken | null;
  failure: Failure | undefined;
};

export function Announcer({ token: latest, failure }: AnnouncerProps) {
  const token = useTokenState(latest);
  const before = useRef<TokenState | null>(null);
  const known = useRef(latest?.token ?? null);
  const [said, setSaid] = useState({ text: '', count: 0 });

  useEffect(() => {
    const text = announcement(before.current, token, known.current);
    before.current = token;
    if (token.kind === 'active') known.current = token.token;
    if (text !== null) setSaid(({ count }) => ({ text, count: count + 1 }));
  }, [token]);

  useEffect(() => {
    if (failure) setSaid(withoutText);
  }, [failure]);

  useEffect(() => {
    if (said.text === '') return;
    const timer = setTimeout(() => setSaid(withoutText), READ_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);

  // A new `key` makes a screen reader read the same words again.
  return (
    <p className="visually-hidden" role="status">
      <span key={said.count}>{said.text}</span>
    </p>
  );
}

function withoutText({ count }: { count: number }) {
  return { text: '', count };
}
