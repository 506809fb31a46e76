import { useState } from 'react';
import { type StoredToken, useStoredToken } from '../../session/localRecords.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import { CopyUrl } from './CopyUrl.tsx';
import { countdownText } from './countdown.ts';
import { tokenState } from './tokenState.ts';
import { urgencyOf } from './urgency.ts';
import { useEverySecond } from './useEverySecond.ts';
import '../disclosure.css';
import './EarlierTokens.css';

export function EarlierTokens({ baseUrl }: { baseUrl: string | null }) {
  const tokens = useEarlierTokens();
  return tokens.length > 0 && <FoldedTokens tokens={tokens} baseUrl={baseUrl} />;
}

function FoldedTokens({ tokens, baseUrl }: { tokens: StoredToken[]; baseUrl: string | null }) {
  const lastExpiry = Math.max(...tokens.map(({ expiresAt }) => expiresAt));
  const second = useEverySecond(lastExpiry);
  const count = tokens.filter((token) => isActive(token, second)).length;
  const summary = useFocusHandedOver(count === 0);
  return (
    <details className="disclosure" hidden={count === 0}>
      <summary className="disclosure__summary" ref={summary}>
        {dashboardTexts.earlier.heading(count)}
      </summary>
      {tokens.map((token, index) => (
        <EarlierToken key={token.token} token={token} place={index + 1} baseUrl={baseUrl} />
      ))}
    </details>
  );
}

type EarlierTokenProps = {
  token: StoredToken;
  /** From 1, the newest: two tokens may be made in one minute. */
  place: number;
  baseUrl: string | null;
};

function EarlierToken({ token, place, baseUrl }: EarlierTokenProps) {
  const state = tokenState(token, useEverySecond(token.expiresAt));
  const active = state.kind === 'active' ? state : null;
  const time = timeOfDay(token.expiresAt);
  const label = dashboardTexts.earlier.label(place, time);
  return (
    <div className="token__earlier" hidden={active === null}>
      <p className="token__earlier-label">
        <span>{label}</span>
        <span className="token__earlier-time">{countdownText(state)}</span>
      </p>
      <CopyUrl
        token={active}
        urgency={urgencyOf(state)}
        baseUrl={baseUrl}
        fieldName={label}
        buttonName={dashboardTexts.earlier.copyName(place, time)}
        buttonText={dashboardTexts.earlier.copy}
        primary={false}
      />
    </div>
  );
}

/**
 * Returns the tokens that were replaced before they expired, the latest first: another encoder may still need one. They
 * are kept in memory only, and the expired ones are dropped when another is added.
 */
function useEarlierTokens(): StoredToken[] {
  const stored = useStoredToken();
  const [last, setLast] = useState(stored);
  const [earlier, setEarlier] = useState<StoredToken[]>([]);

  if (stored !== last) {
    setLast(stored);
    const isReplaced = last !== null && stored !== null && stored.token !== last.token;
    if (isReplaced) setEarlier([last, ...earlier].filter((token) => isActive(token, Date.now())));
  }
  return earlier;
}

function isActive(token: StoredToken, now: number): boolean {
  return tokenState(token, now).kind === 'active';
}
