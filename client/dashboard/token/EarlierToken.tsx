import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../../session/localRecords.ts';
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

/** Shows the URL of a replaced token, with its own countdown, until the token expires. */
export function EarlierToken({ token, baseUrl }: EarlierTokenProps) {
  const second = useSecond(token.expiresAt, (second) => second);
  const state = tokenState(token, second);
  const isActive = state.kind === 'active';
  const time = timeOfDay(token.expiresAt);
  const label = dashboardTexts.earlier.label(time);
  return (
    <div className="token__earlier" hidden={!isActive}>
      <p className="token__earlier-label">
        <span>{label}</span>
        <span className="token__earlier-time">{countdownText(state)}</span>
      </p>
      <CopyableUrl
        url={isActive && baseUrl !== null ? streamUrl(baseUrl, token.token) : null}
        fieldName={label}
        buttonName={dashboardTexts.earlier.copyName(time)}
        buttonText={dashboardTexts.earlier.copy}
        copiedText={dashboardTexts.earlier.copied}
        primary={false}
      />
    </div>
  );
}
