import { useEffect } from 'react';
import { dashboardTexts } from '../dashboardTexts.ts';
import { alarmOf, hearsNothing, type Sound } from '../sound.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { TimeRing } from '../token/TimeRing.tsx';
import type { Urgency } from '../token/urgency.ts';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import type { Dropout } from './dropout.ts';
import type { Player } from './player.ts';
import { buttonAction, isPlaying, type PlayerNotice, type PlayerState, playerStatus } from './playerState.ts';
import { VolumeControl } from './VolumeControl.tsx';
import { Waves } from './Waves.tsx';
import './PlayerPanel.css';

type PlayerPanelProps = {
  state: PlayerState;
  dropout: Dropout;
  sound: Sound;
  urgency: Urgency;
  notice: PlayerNotice | null;
  tokenActive: boolean;
  player: Pick<Player, 'play' | 'pause' | 'peak'>;
  isNext: boolean;
};

export function PlayerPanel(props: PlayerPanelProps) {
  const { state, dropout, sound, urgency, notice, tokenActive, player, isNext } = props;
  const action = buttonAction(state, tokenActive);
  const status = playerStatus(state, dropout, tokenActive);
  const alarm = alarmOf(sound, status);
  const button = useFocusHandedOver<HTMLButtonElement>(action === 'none');
  useEffect(() => {
    if (isNext) button.current?.focus();
  }, [isNext, button]);
  return (
    <section
      className={`pitch pitch--${status} ${hearsNothing(sound) ? 'pitch--missing' : ''}`}
      aria-labelledby="player-heading"
    >
      <h2 className="visually-hidden" id="player-heading">
        {dashboardTexts.player}
      </h2>
      <div className="pitch__content">
        <div className="pitch__centre">
          <div className="pitch__circle">
            <TimeRing urgency={urgency} />
            <Waves peak={player.peak} />
            <button
              className={`play ${isNext ? 'play--next' : ''}`}
              type="button"
              ref={button}
              disabled={action === 'none'}
              aria-label={action === 'pause' ? dashboardTexts.pause : dashboardTexts.play}
              aria-describedby="player-status"
              onClick={action === 'pause' ? player.pause : player.play}
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
          <span key={status} className={alarm === 'status' ? 'pitch__alarm' : ''}>
            {dashboardTexts[status]}
          </span>
        </p>
        <p className="pitch__notice" role="status">
          {sound === 'muted' && <span className="pitch__alarm">{dashboardTexts.muted}</span>}
          {notice && (
            <span className={alarm === 'notice' && sound === 'missing' ? 'pitch__alarm' : ''}>
              {dashboardTexts.playerNotices[notice]}
            </span>
          )}
          {dropout.kind === 'over' && (
            <span>
              {dashboardTexts.dropout(Math.round(dropout.lastedMs / 1_000), timeOfDay(dropout.startedAt))}
            </span>
          )}
          {isPlaying(state) && state.behindSeconds > 0 && (
            <span>{dashboardTexts.behind(state.behindSeconds)}</span>
          )}
        </p>
        <VolumeControl />
      </div>
    </section>
  );
}
