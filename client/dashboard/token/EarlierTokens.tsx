import { useFocusHandedOver } from '../../layout/useFocusHandedOver.ts';
import { countdownText } from '../../page/countdown.ts';
import type { StoredToken } from '../../page/records.ts';
import { tokenState } from '../../page/tokenState.ts';
import { Disclosure } from '../Disclosure.tsx';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useEverySecond } from '../useEverySecond.ts';
import { stageOf } from '../view.ts';
import { CopyUrl } from './CopyUrl.tsx';
import './EarlierTokens.css';

type EarlierTokensProps = {
  tokens: StoredToken[];
  baseUrl: string | null;
};

export function EarlierTokens({ tokens, baseUrl }: EarlierTokensProps) {
  const second = useEverySecond(tokens[0]?.expiresAt ?? 0);
  const count = tokens.filter((token) => isActive(token, second)).length;
  return (
    <Disclosure heading={dashboardTexts.earlier.heading(count)} hidden={count === 0}>
      {tokens.map((token, index) => (
        <EarlierToken key={token.token} token={token} place={index + 1} second={second} baseUrl={baseUrl} />
      ))}
    </Disclosure>
  );
}

type EarlierTokenProps = Omit<EarlierTokensProps, 'tokens'> & {
  token: StoredToken;
  /** Counts from 1, the newest; it tells apart tokens of the same minute. */
  place: number;
  /** The start of the current second, in epoch milliseconds. */
  second: number;
};

function EarlierToken({ token, place, second, baseUrl }: EarlierTokenProps) {
  const state = tokenState(token, second);
  const active = state.kind === 'active' ? state : null;
  const { ref, isOff } = useFocusHandedOver<HTMLDivElement>(active === null);
  const time = timeOfDay(token.expiresAt);
  const label = dashboardTexts.earlier.label(place, time);
  return (
    <div className="token__earlier" ref={ref} hidden={isOff}>
      <p className="token__earlier-label">
        <span>{label}</span>
        <span className="token__earlier-time">{countdownText(state)}</span>
      </p>
      <CopyUrl
        token={active}
        urgency={stageOf(state)}
        baseUrl={baseUrl}
        fieldName={label}
        buttonName={dashboardTexts.earlier.copyName(place, time)}
        buttonText={dashboardTexts.earlier.copy}
        primary={false}
      />
    </div>
  );
}

function isActive(token: StoredToken, now: number): boolean {
  return tokenState(token, now).kind === 'active';
}
