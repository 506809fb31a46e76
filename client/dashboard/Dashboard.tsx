import { signOut } from '../api/session.ts';
import { LOGIN_PATH } from '../guard.ts';
import { Brand } from '../layout/Brand.tsx';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import { texts } from '../texts.ts';
import { dashboardTexts } from './dashboardTexts.ts';
import { Notes } from './Notes.tsx';
import { PlayerPanel } from './PlayerPanel.tsx';
import { streamAddress } from './streamAddress.ts';
import { TokenPanel } from './TokenPanel.tsx';
import { usePlayer } from './usePlayer.ts';
import { useStreamBase } from './useStreamBase.ts';
import { useToken } from './useToken.ts';
import { useTokenCreation } from './useTokenCreation.ts';
import './dashboard.css';

export function Dashboard({ company }: { company: string }) {
  const streamBase = useStreamBase();
  const { baseUrl, serverSilent } = streamBase;
  const { player, state, notice } = usePlayer(streamBase, company);
  const { kind, token, expiresAt, countdown } = useToken();
  const { createToken, creating, failure } = useTokenCreation(player.pause);

  return (
    <div className="page dashboard">
      <header className="dashboard__header">
        <Brand size="small" />
        <h1 className="dashboard__company">{company}</h1>
      </header>
      <main className="card dashboard__card" aria-busy={creating}>
        <PlayerPanel
          state={state}
          notice={notice}
          tokenActive={kind === 'active'}
          covered={creating}
          onPlay={player.play}
          onPause={player.pause}
        />
        <div className="dashboard__side">
          <TokenPanel
            kind={kind}
            token={token}
            countdown={countdown}
            expiresAt={expiresAt}
            address={token !== null && baseUrl !== null ? streamAddress(baseUrl, token) : null}
            serverSilent={serverSilent}
            failure={failure}
            onCreate={createToken}
          />
          <Notes />
        </div>
        {creating && <LoadingOverlay text={dashboardTexts.creating} />}
      </main>
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
