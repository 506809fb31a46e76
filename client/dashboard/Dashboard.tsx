import { useRef } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { streamUrl } from '../../shared/streamUrl.ts';
import { Brand } from '../layout/Brand.tsx';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import { useArrivalFocus } from '../layout/useArrivalFocus.ts';
import { texts } from '../texts.ts';
import { dashboardTexts } from './dashboardTexts.ts';
import type { DashboardProps } from './loadDashboard.ts';
import { Notes } from './Notes.tsx';
import { PlayerPanel } from './player/PlayerPanel.tsx';
import { usePlayer } from './player/usePlayer.ts';
import { useStreamBase } from './player/useStreamBase.ts';
import { Announcer } from './token/Announcer.tsx';
import { TokenClock } from './token/TokenClock.tsx';
import { TokenPanel } from './token/TokenPanel.tsx';
import { useToken } from './token/useToken.ts';
import { useTokenCreation } from './token/useTokenCreation.ts';
import { useOperations } from './useOperations.ts';
import { useTab } from './useTab.ts';
import './dashboard.css';

export function Dashboard({ company, onSignOut }: DashboardProps) {
  const { Operations, query, onQuery, onCreateToken, createToken: create } = useOperations();
  const streamBase = useStreamBase(query);
  const { baseUrl, serverSilent, learnBase } = streamBase;
  const { player, state, notice } = usePlayer(streamBase, company);
  const { token, expiresAt } = useToken();
  const { createToken, creating, failure } = useTokenCreation(create, player, learnBase);
  const heading = useRef<HTMLHeadingElement>(null);
  useArrivalFocus(heading);
  useTab(token, state.kind === 'playing');

  return (
    <div className="page dashboard">
      <header className="dashboard__header">
        <Brand size="small" />
        <h1 className="dashboard__company" ref={heading} tabIndex={-1}>
          {company}
        </h1>
      </header>
      <main className="card dashboard__card" aria-busy={creating}>
        <div className="dashboard__content" inert={creating}>
          <PlayerPanel
            state={state}
            notice={notice}
            token={token}
            onPlay={player.play}
            onPause={player.pause}
          />
          <div className="dashboard__side">
            <TokenClock state={token} failure={failure} onCreate={createToken} />
            <TokenPanel
              state={token}
              address={token.kind === 'active' && baseUrl !== null ? streamUrl(baseUrl, token.token) : null}
              expiresAt={expiresAt}
              serverSilent={serverSilent}
            />
            <Notes />
          </div>
        </div>
        {creating && <LoadingOverlay text={dashboardTexts.creating} />}
      </main>
      {Operations && <Operations onQuery={onQuery} onCreateToken={onCreateToken} />}
      <Announcer state={token} failure={failure} />
      <footer className="footer dashboard__footer">
        <span>{texts.version}</span>
        <a
          className="footer__link"
          href={LOGIN_PATH}
          onClick={(event) => {
            event.preventDefault();
            onSignOut();
          }}
        >
          {dashboardTexts.signOut}
        </a>
      </footer>
    </div>
  );
}
