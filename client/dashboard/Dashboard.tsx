import { useEffect, useRef } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { Brand } from '../layout/Brand.tsx';
import { ErrorBoundary } from '../layout/ErrorBoundary.tsx';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import { useArrivalFocus } from '../layout/useArrivalFocus.ts';
import { type Account, useAccount } from '../session/localRecords.ts';
import { followSignOutElsewhere, soundCut, soundOnAir } from '../session/sessionEnd.ts';
import { signOut } from '../session/signOut.ts';
import { texts } from '../texts.ts';
import { BrowserTab } from './BrowserTab.tsx';
import { dashboardTexts } from './dashboardTexts.ts';
import { Notes } from './Notes.tsx';
import { nextAction } from './nextAction.ts';
import { PlayerPanel } from './player/PlayerPanel.tsx';
import { usePlayer } from './player/usePlayer.ts';
import { Announcer } from './token/Announcer.tsx';
import { TokenClock } from './token/TokenClock.tsx';
import { TokenPanel } from './token/TokenPanel.tsx';
import { urgencyOf } from './token/urgency.ts';
import { useTokenCreation } from './token/useTokenCreation.ts';
import { useTokenState } from './token/useTokenState.ts';
import { useDashboardQuery } from './useDashboardQuery.ts';
import { useFocusHandedOver } from './useFocusHandedOver.ts';
import './Dashboard.css';

export function Dashboard({ account }: { account: Account }) {
  const { company } = account;
  const sessionEnded = useAccount() === null;
  const { baseUrl, serverTrouble, learnBase } = useDashboardQuery();
  const { token, second } = useTokenState();
  const { player, view, autoCreate, setAutoCreate } = usePlayer(
    { baseUrl, serverTrouble },
    account,
    token.kind,
    sessionEnded,
  );
  const creation = useTokenCreation({ player, view, learnBase });
  const { failure } = creation;
  const urgency = urgencyOf(token, view);
  const next = nextAction(urgency, view, creation.wasInterrupted);
  const heading = useRef<HTMLHeadingElement>(null);
  useArrivalFocus(heading);
  const autoCreateBox = useFocusHandedOver<HTMLInputElement>(sessionEnded);

  // The end of the session leaves this screen as it is until the sound ends too.
  useEffect(() => void soundOnAir(view.isOnAir ? account : null), [view.isOnAir, account]);
  useEffect(() => () => void soundOnAir(null), []);
  useEffect(() => void soundCut(sessionEnded), [sessionEnded]);
  useEffect(() => followSignOutElsewhere(() => player.send({ type: 'dashboardClosed' })), [player]);

  return (
    <div className="page dashboard">
      <header className="dashboard__header">
        <Brand />
        <h1 className="dashboard__company" ref={heading} tabIndex={-1} dir="auto" title={company}>
          {company}
        </h1>
      </header>
      <main className="card dashboard__card" aria-busy={view.isCreating}>
        <div className="dashboard__content" inert={view.isCreating}>
          <ErrorBoundary>
            <PlayerPanel
              view={view}
              token={token}
              urgency={urgency}
              player={player}
              isNext={next === 'play' && !view.isCreating}
              sessionEnded={sessionEnded}
            />
          </ErrorBoundary>
          <div className="dashboard__side">
            <ErrorBoundary>
              <TokenClock
                token={token}
                urgency={urgency}
                pausesSound={view.outlivesToken && view.audibility !== 'missing' && !sessionEnded}
                failure={failure}
                createdAt={creation.createdAt}
                isNext={next === 'create'}
                // Under the overlay it would be disabled before it gets the focus back, and the focus lost.
                disabled={sessionEnded && !view.isCreating}
                onCreate={creation.createToken}
              />
            </ErrorBoundary>
            <ErrorBoundary>
              <TokenPanel
                token={token}
                urgency={urgency}
                second={second}
                baseUrl={baseUrl}
                serverTrouble={serverTrouble}
                isNext={next === 'copy'}
                creating={creation.creating}
                sessionEnded={sessionEnded}
              />
            </ErrorBoundary>
            <label className="auto-create">
              <input
                type="checkbox"
                ref={autoCreateBox.ref}
                checked={autoCreate}
                disabled={autoCreateBox.isOff}
                onChange={(event) => setAutoCreate(event.target.checked)}
              />
              {dashboardTexts.autoCreate}
            </label>
            <Notes />
          </div>
        </div>
        {view.isCreating && <LoadingOverlay text={dashboardTexts.creating} />}
      </main>
      <ErrorBoundary>
        <BrowserTab token={token} urgency={urgency} audibility={view.audibility} />
        <Announcer token={token} failure={failure} />
      </ErrorBoundary>
      <footer className="footer dashboard__footer">
        <span>{texts.version}</span>
        <a
          className="footer__link"
          href={LOGIN_PATH}
          onClick={(event) => {
            event.preventDefault();
            signOut();
          }}
        >
          {dashboardTexts.signOut}
        </a>
      </footer>
    </div>
  );
}
