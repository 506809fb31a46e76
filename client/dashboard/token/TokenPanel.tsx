import { streamUrl } from '../../../shared/streamUrl.ts';
import { TOKEN_HEADING_ID } from '../../layout/useFocusHandedOver.ts';
import type { ShownSignedIn } from '../../page/shown.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { TokenHistory } from '../history/TokenHistory.tsx';
import { OtherPrograms } from '../otherPrograms/OtherPrograms.tsx';
import { PlayerKeys } from '../playerKeys/PlayerKeys.tsx';
import { selectsAll } from '../selectsAll.ts';
import { isActive, type TokenStage, type View } from '../view.ts';
import { CopyUrl } from './CopyUrl.tsx';
import { EarlierTokens } from './EarlierTokens.tsx';
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
