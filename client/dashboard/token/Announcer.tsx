import { useEffect, useRef, useState } from 'react';
import { MINUTE_MS } from '../../../shared/durations.ts';
import type { Failure } from '../../page/failure.ts';
import type { StoredToken } from '../../page/records.ts';
import type { TokenState } from '../../page/tokenState.ts';
import { texts } from '../../texts.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { useTokenState } from '../useTokenState.ts';
import { LAST_MINUTES } from '../view.ts';

const READ_FOR_MS = 5_000;
const ANNOUNCED_MINUTES = [5, LAST_MINUTES];

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

/**
 * Returns what screen readers announce: the creation, five minutes left, the last two minutes and the expiry. Returns
 * null to keep the last announcement, `''` to remove it.
 * @param before - null when the page just opened
 * @param known - the last active token: one that a corrected clock makes active again was not just created
 */
export function announcement(
  before: TokenState | null,
  now: TokenState,
  known: string | null,
): string | null {
  if (!before) return null;
  if (now.kind === 'none') return before.kind === 'none' ? null : '';
  if (now.kind === 'expired') return before.kind === 'active' ? dashboardTexts.announced.expired : null;
  const left = dashboardTexts.announced.left(texts.minutes(Math.ceil(now.remainingMs / MINUTE_MS)));
  if (now.token !== known) return `${dashboardTexts.announced.made} ${left}`;
  if (before.kind !== 'active') return left;
  return stage(before.remainingMs) === stage(now.remainingMs) ? null : left;
}

function stage(remainingMs: number): number {
  return ANNOUNCED_MINUTES.filter((minutes) => remainingMs <= minutes * MINUTE_MS).length;
}
