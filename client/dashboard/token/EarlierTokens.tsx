import type { StoredToken } from '../../session/localRecords.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import { CopyUrl } from './CopyUrl.tsx';
import { countdownText } from './countdown.ts';
import { tokenState } from './tokenState.ts';
import { urgencyOf } from './urgency.ts';
import { useEarlierTokens } from './useEarlierTokens.ts';
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
  const count = tokens.filter((token) => tokenState(token, second).kind === 'active').length;
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
  const isActive = state.kind === 'active';
  const time = timeOfDay(token.expiresAt);
  const label = dashboardTexts.earlier.label(place, time);
  return (
    <div className="token__earlier" hidden={!isActive}>
      <p className="token__earlier-label">
        <span>{label}</span>
        <span className="token__earlier-time">{countdownText(state)}</span>
      </p>
      <CopyUrl
        token={isActive ? token : null}
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
