import { useRef } from 'react';
import { LOGIN_PATH } from '../../shared/paths.ts';
import { Brand } from '../layout/Brand.tsx';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import { useArrivalFocus } from '../layout/useArrivalFocus.ts';
import { signOut } from '../session/signOut.ts';
import { texts } from '../texts.ts';
import { BrowserTab } from './BrowserTab.tsx';
import { dashboardTexts } from './dashboardTexts.ts';
import { Notes } from './Notes.tsx';
import { PlayerPanel } from './player/PlayerPanel.tsx';
import { soundOf } from './player/playerState.ts';
import { usePlayer } from './player/usePlayer.ts';
import { useStreamBase } from './player/useStreamBase.ts';
import { Announcer } from './token/Announcer.tsx';
import { TokenClock } from './token/TokenClock.tsx';
import { TokenPanel } from './token/TokenPanel.tsx';
import { useToken } from './token/useToken.ts';
import { useTokenCreation } from './token/useTokenCreation.ts';
import './dashboard.css';

/** The screen of a signed-in partner. The default export, as React's `lazy` loads it. */
export default function Dashboard({ company }: { company: string }) {
  const streamBase = useStreamBase();
  const { baseUrl, serverSilent, learnBase } = streamBase;
  const token = useToken();
  const { player, state, dropout, notice } = usePlayer(streamBase, company, token.kind);
  const { createToken, creating, failure, createdAt } = useTokenCreation(player, learnBase);
  const heading = useRef<HTMLHeadingElement>(null);
  useArrivalFocus(heading);

  return (
    <div className="page dashboard">
      <header className="dashboard__header">
        <Brand />
        <h1 className="dashboard__company" ref={heading} tabIndex={-1} dir="auto" title={company}>
          {company}
        </h1>
      </header>
      <main className="card dashboard__card" aria-busy={creating}>
        <div className="dashboard__content" inert={creating}>
          <PlayerPanel
            state={state}
            dropout={dropout}
            notice={notice}
            tokenActive={token.kind === 'active'}
            peak={player.peak}
            onPlay={player.play}
            onPause={player.pause}
          />
          <div className="dashboard__side">
            <TokenClock
              token={token}
              player={state}
              failure={failure}
              createdAt={createdAt}
              onCreate={createToken}
            />
            <TokenPanel
              token={token}
              baseUrl={baseUrl}
              serverSilent={serverSilent}
              refused={state.kind === 'refused'}
              creating={creating}
            />
            <Notes />
          </div>
        </div>
        {creating && <LoadingOverlay text={dashboardTexts.creating} />}
      </main>
      <BrowserTab sound={soundOf(state, dropout)} />
      <Announcer failure={failure} />
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
