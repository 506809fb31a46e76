import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { TimeRing } from '../token/TimeRing.tsx';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import type { Dropout } from './dropout.ts';
import {
  buttonAction,
  isPlaying,
  outlivesToken,
  type PlayerNotice,
  type PlayerState,
  playerStatus,
  soundOf,
} from './playerState.ts';
import { useVolume } from './useVolume.ts';
import { VolumeControl } from './VolumeControl.tsx';
import { audibleLevel } from './volume.ts';
import { Waves } from './Waves.tsx';

type PlayerPanelProps = {
  state: PlayerState;
  dropout: Dropout;
  notice: PlayerNotice | null;
  tokenActive: boolean;
  peak: () => number | null;
  onPlay: () => void;
  onPause: () => void;
};

/** The big button on its pitch, and the player's status. */
export function PlayerPanel({
  state,
  dropout,
  notice,
  tokenActive,
  peak,
  onPlay,
  onPause,
}: PlayerPanelProps) {
  const action = buttonAction(state, tokenActive);
  const status = playerStatus(state, dropout, tokenActive);
  const missing = soundOf(state, dropout) === 'missing';
  const isSilent = audibleLevel(useVolume()) === 0;
  const button = useFocusHandedOver(action === 'none');
  return (
    <section
      className={`pitch pitch--${status} ${missing ? 'pitch--missing' : ''}`}
      aria-labelledby="player-heading"
    >
      <h2 className="visually-hidden" id="player-heading">
        {dashboardTexts.player}
      </h2>
      <div className="pitch__content">
        <div className="pitch__centre">
          <div className="pitch__circle">
            <TimeRing outlived={outlivesToken(state)} />
            <Waves peak={peak} />
            <button
              className="play"
              type="button"
              ref={button}
              disabled={action === 'none'}
              aria-label={action === 'pause' ? dashboardTexts.pause : dashboardTexts.play}
              aria-describedby="player-status"
              onClick={action === 'pause' ? onPause : onPlay}
            >
              <svg className="play__icon" viewBox="0 0 48 48" aria-hidden="true">
                {action === 'pause' ? (
                  <path d="M13 9h8v30h-8zM27 9h8v30h-8z" />
                ) : (
                  <path d="M15 7.5v33L41 24z" />
                )}
              </svg>
            </button>
          </div>
        </div>
        <p className="pitch__status" id="player-status" role="status">
          <span key={status}>{dashboardTexts[status]}</span>
        </p>
        <p className="pitch__notice" role="status">
          {notice && <span>{dashboardTexts.playerNotices[notice]}</span>}
          {dropout.kind === 'over' && (
            <span>
              {dashboardTexts.dropout(Math.round(dropout.lastedMs / 1_000), timeOfDay(dropout.startedAt))}
            </span>
          )}
          {isPlaying(state) && state.behindSeconds > 0 && (
            <span>{dashboardTexts.behind(state.behindSeconds)}</span>
          )}
          {status === 'playing' && isSilent && <span>{dashboardTexts.muted}</span>}
        </p>
        <VolumeControl />
      </div>
    </section>
  );
}
