import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../../session/records.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { CopyableUrl } from '../takeAway/CopyableUrl.tsx';
import { timeOfDay } from '../timeOfDay.ts';
import { countdownText } from './countdown.ts';
import { tokenState } from './tokenState.ts';
import { useSecond } from './useSecond.ts';

type EarlierTokenProps = {
  token: StoredToken;
  /** The stream's base address, null until it is known. */
  baseUrl: string | null;
};

/** The URL of a token that was replaced, with its own countdown; hidden once it expired. */
export function EarlierToken({ token, baseUrl }: EarlierTokenProps) {
  const second = useSecond(token.expiresAt, (second) => second);
  const state = tokenState(token, second);
  const isActive = state.kind === 'active';
  const label = dashboardTexts.earlier.label(timeOfDay(token.expiresAt));
  return (
    <div className="token__earlier" hidden={!isActive}>
      <p className="token__earlier-label">
        <span>{label}</span>
        <span className="token__earlier-time">{countdownText(state)}</span>
      </p>
      <CopyableUrl
        url={isActive && baseUrl !== null ? streamUrl(baseUrl, token.token) : null}
        label={label}
        copyLabel={dashboardTexts.earlier.copy}
        primary={false}
      />
    </div>
  );
}
