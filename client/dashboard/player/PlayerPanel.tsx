import { dashboardTexts } from '../dashboardTexts.ts';
import { TimeRing } from '../token/TimeRing.tsx';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import { buttonAction, type PlayerNotice, type PlayerState, playerStatus } from './playerState.ts';
import { useVolume } from './useVolume.ts';
import { VolumeControl } from './VolumeControl.tsx';
import { audibleLevel } from './volume.ts';

type PlayerPanelProps = {
  state: PlayerState;
  notice: PlayerNotice | null;
  tokenActive: boolean;
  onPlay: () => void;
  onPause: () => void;
};

/** The big button on its pitch, and the player's status. */
export function PlayerPanel({ state, notice, tokenActive, onPlay, onPause }: PlayerPanelProps) {
  const action = buttonAction(state, tokenActive);
  const status = playerStatus(state, tokenActive);
  const isSilent = audibleLevel(useVolume()) === 0;
  const button = useFocusHandedOver(action === 'none');
  return (
    <section className={`pitch pitch--${status}`} aria-label={dashboardTexts.player}>
      <div className="pitch__content">
        <div className="pitch__centre">
          <div className="pitch__circle">
            <TimeRing />
            <span className="pitch__wave" aria-hidden="true" />
            <span className="pitch__wave pitch__wave--later" aria-hidden="true" />
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
          {notice
            ? dashboardTexts.playerNotices[notice]
            : status === 'playing' && isSilent && dashboardTexts.muted}
        </p>
        <VolumeControl />
      </div>
    </section>
  );
}
