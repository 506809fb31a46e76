import { useRef } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { useOffline } from '../api/network.ts';
import { Brand } from '../layout/Brand.tsx';
import { ErrorBoundary } from '../layout/ErrorBoundary.tsx';
import { useArrivalFocus, useFocusHandedOver } from '../layout/focus.ts';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import type { ShownSignedIn } from '../page/shown.ts';
import { texts } from '../texts.ts';
import { usePage } from '../usePage.ts';
import { audibleLevel, useVolume } from './audio/volume.ts';
import { BrowserTab } from './BrowserTab.tsx';
import { CompanyHeading } from './CompanyHeading.tsx';
import { dashboardTexts } from './dashboardTexts.ts';
import { PlayerPanel } from './player/PlayerPanel.tsx';
import { Announcer } from './token/Announcer.tsx';
import { CreateTokenPanel } from './token/CreateTokenPanel.tsx';
import { TokenPanel } from './token/TokenPanel.tsx';
import { useTokenStage } from './useTokenState.ts';
import { viewOf } from './view.ts';
import './Dashboard.css';

type DashboardProps = {
  shown: ShownSignedIn;
  /** No other screen was shown since the page was loaded. */
  isFirst?: boolean;
};

export function Dashboard({ shown, isFirst = true }: DashboardProps) {
  const page = usePage();
  const { account, dashboard, isTicked } = shown;
  const { company } = account;
  const { outcome } = dashboard;
  const failure = outcome?.kind === 'failed' ? outcome.failure : undefined;
  const offline = useOffline();
  const { token } = dashboard;
  const stage = useTokenStage(token);
  const view = viewOf(shown, { stage, muted: audibleLevel(useVolume()) === 0, offline });
  const { next, isCreating, sessionEnded } = view;
  const shownFailure = failure?.code === 'NO_NETWORK' && !offline ? undefined : failure;
  const heading = useRef<HTMLHeadingElement>(null);
  useArrivalFocus(heading, { isFirst });

  return (
    <div className="page dashboard">
      <header className="dashboard__header">
        <Brand />
        <CompanyHeading company={company} ref={heading} />
      </header>
      <main className="card dashboard__card" aria-busy={isCreating}>
        <div className="dashboard__content">
          <div className="contents" inert={isCreating}>
            <ErrorBoundary>
              <PlayerPanel view={view} token={token} page={page} isNext={next === 'play' && !isCreating} />
            </ErrorBoundary>
          </div>
          <div className="dashboard__side">
            <ErrorBoundary>
              <CreateTokenPanel
                token={token}
                stage={stage}
                view={view}
                failure={shownFailure}
                createdAt={
                  outcome?.kind === 'made' && outcome.token === token?.token ? outcome.epochMs : null
                }
                isNext={next === 'create'}
                // Not under the overlay, which gives the focus back to this button when it closes.
                disabled={sessionEnded && !isCreating}
                inert={isCreating}
                onCreate={(isFirstClick, at) => page.send({ type: 'createPressed', isFirstClick, at })}
              />
            </ErrorBoundary>
            <div className="contents" inert={isCreating}>
              <ErrorBoundary>
                <TokenPanel stage={stage} view={view} dashboard={dashboard} isNext={next === 'copy'} />
              </ErrorBoundary>
              <AutoCreateBox
                isChecked={isTicked}
                disabled={sessionEnded}
                onChange={(on) => page.send({ type: 'autoCreateTicked', on })}
              />
              <Notes />
            </div>
          </div>
        </div>
        {isCreating && <LoadingOverlay text={dashboardTexts.creating} />}
      </main>
      <ErrorBoundary>
        <BrowserTab token={token} view={view} />
        <Announcer token={token} failure={shownFailure} />
      </ErrorBoundary>
      <footer className="footer dashboard__footer">
        <span>{texts.version}</span>
        <a
          className="footer__link"
          href={LOGIN_PATH}
          onClick={(event) => {
            event.preventDefault();
            page.send({ type: 'signOutPressed' });
          }}
        >
          {dashboardTexts.signOut}
        </a>
      </footer>
    </div>
  );
}

type AutoCreateBoxProps = {
  isChecked: boolean;
  disabled: boolean;
  onChange: (on: boolean) => void;
};

function AutoCreateBox({ isChecked, disabled, onChange }: AutoCreateBoxProps) {
  const { ref, isOff } = useFocusHandedOver<HTMLInputElement>(disabled);
  return (
    <label className="auto-create">
      <input
        type="checkbox"
        ref={ref}
        checked={isChecked}
        disabled={isOff}
        onChange={(event) => onChange(event.target.checked)}
      />
      {dashboardTexts.autoCreate}
    </label>
  );
}

function Notes() {
  return (
    <section aria-label={dashboardTexts.notesHeading}>
      <ul className="notes__list">
        {dashboardTexts.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
