import { useEffect, useRef } from 'react';
import { SECOND_MS } from '../../../shared/durations.ts';
import { LOGIN_PATH } from '../../../shared/paths.ts';
import { TOKEN_LIFETIME_MINUTES } from '../../../shared/tokenLifetime.ts';
import { useFocusHandedOver } from '../../layout/focus.ts';
import { shareLeft } from '../../page/countdown.ts';
import type { Page } from '../../page/createPage.ts';
import type { StoredToken } from '../../page/records.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useTokenState } from '../useTokenState.ts';
import type { Advice, Hint, Urgency, View } from '../view.ts';
import { VolumeControl } from './VolumeControl.tsx';
import './circle.css';
import './PlayerPanel.css';

const MEASURE_EVERY_MS = 100;
const FLOOR_DB = -48;

type PlayerPanelProps = {
  view: View;
  token: StoredToken | null;
  page: Pick<Page, 'send' | 'peak'>;
  isNext: boolean;
};

export function PlayerPanel(props: PlayerPanelProps) {
  const { view, token, page, isNext } = props;
  const { status, hint, advice, alarm, dropout, behindSeconds, sessionEnded } = view;
  const button = useFocusHandedOver<HTMLButtonElement>(view.button === 'none');
  const pauses = view.button === 'pause';
  return (
    <section
      className={`pitch pitch--${status} ${alarm === 'none' ? '' : 'pitch--missing'}`}
      aria-labelledby="player-heading"
    >
      <h2 className="visually-hidden" id="player-heading">
        {dashboardTexts.player}
      </h2>
      <div className="pitch__content">
        <div className="pitch__centre">
          <div className="pitch__circle">
            <TimeRing token={token} urgency={view.urgency} />
            <Waves peak={page.peak} />
            <button
              className={`play ${isNext ? 'play--next' : ''}`}
              type="button"
              ref={button.ref}
              disabled={button.isOff}
              aria-label={pauses ? dashboardTexts.pause : dashboardTexts.play}
              aria-describedby="player-status"
              onClick={({ timeStamp: at }) =>
                page.send({ type: pauses ? 'pausePressed' : 'playPressed', at })
              }
            >
              <svg className="play__icon" viewBox="0 0 48 48" aria-hidden="true">
                {pauses ? <path d="M13 9h8v30h-8zM27 9h8v30h-8z" /> : <path d="M15 7.5v33L41 24z" />}
              </svg>
            </button>
          </div>
        </div>
        <p className="pitch__status" id="player-status" role="status">
          <span key={status} className={alarm === 'status' ? 'pitch__alarm' : ''}>
            {dashboardTexts.playerStatus[status]}
          </span>
        </p>
        <div className="pitch__hint">
          <p role="status">
            {status === 'muted' && <span>{dashboardTexts.playerStatus.playing}</span>}
            {hint && <span className={alarm === 'hint' ? 'pitch__alarm' : ''}>{hintText(hint, advice)}</span>}
            {dropout?.kind === 'ongoing' && (
              <span>{dashboardTexts.missingSince(timeOfDay(dropout.epochMs))}</span>
            )}
            {dropout?.kind === 'over' && (
              <span>
                {dashboardTexts.dropout(Math.round(dropout.lastedMs / SECOND_MS), timeOfDay(dropout.epochMs))}
              </span>
            )}
            {sessionEnded && (
              <span>
                {dashboardTexts.sessionEnded[alarm === 'none' || status === 'muted' ? 'playing' : 'missing']}
              </span>
            )}
          </p>
          {/* Not announced, since it changes each second. */}
          {behindSeconds > 0 && <span>{dashboardTexts.behind(behindSeconds)}</span>}
          {sessionEnded && <SignInLink />}
          {view.retry !== null && (
            <RecoveryButton
              isOff={view.retry === 'underWay'}
              onClick={() => page.send({ type: 'retryAsked' })}
            >
              {dashboardTexts.retryNow}
            </RecoveryButton>
          )}
          {view.alarmButton !== null && (
            <RecoveryButton onClick={() => page.send({ type: 'pausePressed' })}>
              {dashboardTexts.alarmButtons[view.alarmButton]}
            </RecoveryButton>
          )}
        </div>
        <VolumeControl />
      </div>
    </section>
  );
}

function SignInLink() {
  const { ref } = useFocusHandedOver<HTMLAnchorElement>();
  return (
    <a className="pitch__link" href={LOGIN_PATH} target="_blank" rel="noreferrer" ref={ref}>
      {dashboardTexts.signIn}
    </a>
  );
}

type RecoveryButtonProps = { isOff?: boolean; onClick: () => void; children: string };

/** Hands the focus on when it disappears. While it is off it keeps the focus, as a disabled button would not. */
function RecoveryButton({ isOff = false, onClick, children }: RecoveryButtonProps) {
  const { ref } = useFocusHandedOver<HTMLButtonElement>();
  return (
    <button
      className="pitch__link"
      type="button"
      ref={ref}
      aria-disabled={isOff}
      onClick={() => !isOff && onClick()}
    >
      {children}
    </button>
  );
}

/** One text, since React could not take the advice out of a translated page. */
function hintText(hint: Hint, advice: Advice | null): string {
  const fact = dashboardTexts.playerHints[hint];
  return advice ? `${fact} ${dashboardTexts.playerAdvice[advice]}` : fact;
}

function TimeRing({ token, urgency }: { token: StoredToken | null; urgency: Urgency }) {
  const share = shareLeft(useTokenState(token));
  return (
    <svg className={`ring ring--${urgency}`} viewBox="0 0 200 200" aria-hidden="true">
      <mask id="ring-minutes">
        <circle cx="100" cy="100" r="93" pathLength={TOKEN_LIFETIME_MINUTES} />
      </mask>
      <g mask="url(#ring-minutes)" transform="rotate(-90 100 100)">
        <circle className="ring__track" cx="100" cy="100" r="93" />
        <circle
          className="ring__left"
          cx="100"
          cy="100"
          r="93"
          pathLength="1"
          strokeDasharray={`${share.toFixed(4)} 1`}
          strokeDashoffset={(share - 1).toFixed(4)}
        />
      </g>
    </svg>
  );
}

function Waves({ peak }: { peak: () => number | null }) {
  const rings = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const timer = setInterval(() => {
      const measured = peak();
      rings.current?.classList.toggle('waves--measured', measured !== null);
      rings.current?.style.setProperty('--level', levelOf(measured ?? 0).toFixed(2));
    }, MEASURE_EVERY_MS);
    return () => clearInterval(timer);
  }, [peak]);

  return (
    <span className="waves" ref={rings} aria-hidden="true">
      <span className="pitch__wave" />
      <span className="pitch__wave pitch__wave--later" />
    </span>
  );
}

/** Converts a peak to a level from 0 to 1 on a logarithmic scale, as loudness is heard. */
function levelOf(peak: number): number {
  return Math.min(1, Math.max(0, 1 - (20 * Math.log10(peak)) / FLOOR_DB));
}
