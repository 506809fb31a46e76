import type { StoredToken } from '../../session/localRecords.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeToTheSecond } from '../timeOfDay.ts';
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
  const [newest, ...older] = useEarlierTokens();
  return (
    <>
      {newest && <EarlierToken key={newest.token} token={newest} baseUrl={baseUrl} />}
      {older.length > 0 && <OlderTokens tokens={older} baseUrl={baseUrl} />}
    </>
  );
}

function OlderTokens({ tokens, baseUrl }: { tokens: StoredToken[]; baseUrl: string | null }) {
  const lastExpiry = Math.max(...tokens.map(({ expiresAt }) => expiresAt));
  const count = useEverySecond(
    lastExpiry,
    (second) => tokens.filter((token) => tokenState(token, second).kind === 'active').length,
  );
  const summary = useFocusHandedOver(count === 0);
  return (
    <details className="disclosure" hidden={count === 0}>
      <summary className="disclosure__summary" ref={summary}>
        {dashboardTexts.earlier.more(count)}
      </summary>
      {tokens.map((token) => (
        <EarlierToken key={token.token} token={token} baseUrl={baseUrl} />
      ))}
    </details>
  );
}

/** The URL of one replaced token. Its texts tell the second, since two tokens may be made in one minute. */
function EarlierToken({ token, baseUrl }: { token: StoredToken; baseUrl: string | null }) {
  const second = useEverySecond(token.expiresAt, (second) => second);
  const state = tokenState(token, second);
  const isActive = state.kind === 'active';
  const time = timeToTheSecond(token.expiresAt);
  const label = dashboardTexts.earlier.label(time);
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
        buttonName={dashboardTexts.earlier.copyName(time)}
        buttonText={dashboardTexts.earlier.copy}
        primary={false}
      />
    </div>
  );
}
