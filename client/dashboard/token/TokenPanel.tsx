import { streamUrl } from '../../../shared/streamUrl.ts';
import { TOKEN_HEADING_ID, useFocusHandedOver } from '../../layout/focus.ts';
import { countdownText } from '../../page/countdown.ts';
import type { StoredToken } from '../../page/records.ts';
import type { ShownSignedIn } from '../../page/shown.ts';
import { tokenState } from '../../page/tokenState.ts';
import { Disclosure } from '../Disclosure.tsx';
import { dashboardTexts } from '../dashboardTexts.ts';
import { PlayerKeys } from '../lists/PlayerKeys.tsx';
import { TokenHistory } from '../lists/TokenHistory.tsx';
import { OtherPrograms } from '../otherPrograms/OtherPrograms.tsx';
import { selectsAll } from '../selectsAll.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useEverySecond } from '../useEverySecond.ts';
import { isActive, stageOf, type TokenStage, type View } from '../view.ts';
import { CopyUrl } from './CopyUrl.tsx';
import './TokenPanel.css';

type TokenPanelProps = {
  stage: TokenStage;
  view: Pick<View, 'urgency' | 'serverTrouble' | 'sessionEnded'>;
  dashboard: Pick<ShownSignedIn['dashboard'], 'earlier' | 'streamBase' | 'creation' | 'token'>;
  isNext: boolean;
};

const URL_FIELD_ID = 'url';

export function TokenPanel(props: TokenPanelProps) {
  const { stage, view, dashboard, isNext } = props;
  const { urgency, serverTrouble, sessionEnded } = view;
  const { earlier, streamBase: baseUrl, creation, token } = dashboard;
  const active = isActive(stage) ? token : null;
  // Unlike the countdown, this text stays an error while the sound outlives the token.
  const isAlarm = stage === 'expired';
  return (
    <section
      className={`token ${active ? 'token--active' : ''} ${isAlarm ? 'token--expired' : ''}`}
      aria-labelledby={TOKEN_HEADING_ID}
    >
      <label className="token__label token__label--url" htmlFor={URL_FIELD_ID}>
        {dashboardTexts.url}
      </label>
      <CopyUrl
        fieldId={URL_FIELD_ID}
        token={active}
        urgency={urgency}
        baseUrl={baseUrl}
        buttonName={dashboardTexts.copy}
        buttonText={dashboardTexts.copy}
        primary={isNext}
        note={active !== null && serverTrouble !== null && dashboardTexts.copyWaits[serverTrouble]}
      />
      <h2 className="token__label" id={TOKEN_HEADING_ID} tabIndex={-1}>
        <label htmlFor="token">{dashboardTexts.token}</label>
      </h2>
      <textarea
        className="input token__text"
        id="token"
        readOnly
        spellCheck={false}
        aria-invalid={isAlarm}
        value={active?.token ?? (isAlarm ? dashboardTexts.expired : dashboardTexts.playerStatus.needsToken)}
        {...(active && selectsAll)}
      />
      <div className="token__more">
        {!sessionEnded && (
          <>
            <TokenHistory creating={creation !== null} latestToken={token?.token} />
            <PlayerKeys />
          </>
        )}
        {active && baseUrl !== null && (
          <OtherPrograms url={streamUrl(baseUrl, active.token)} expiresAt={active.expiresAt} />
        )}
        <EarlierTokens tokens={earlier} baseUrl={baseUrl} />
      </div>
    </section>
  );
}

type EarlierTokensProps = {
  tokens: StoredToken[];
  baseUrl: string | null;
};

function EarlierTokens({ tokens, baseUrl }: EarlierTokensProps) {
  const second = useEverySecond(tokens[0]?.expiresAt ?? 0);
  const count = tokens.filter((token) => isValid(token, second)).length;
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

function isValid(token: StoredToken, now: number): boolean {
  return tokenState(token, now).kind === 'active';
}
