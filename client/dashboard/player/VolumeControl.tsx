import { useLayoutEffect, useState } from 'react';
import {
  audibleLevel,
  FULL_VOLUME,
  keepVolume,
  toggleMute,
  useVolume,
  volumeCanBeSet,
} from '../audio/volume.ts';
import { dashboardTexts } from '../dashboardTexts.ts';

const STEP = 5;
const CROSS = 'M16 9l5 6M21 9l-5 6';
const WAVE = 'M16 8a5 5 0 0 1 0 8';

export function VolumeControl() {
  const volume = useVolume();
  const level = audibleLevel(volume);
  const [label, sign] = level === 0 ? [dashboardTexts.unmute, CROSS] : [dashboardTexts.mute, WAVE];
  const [hasSlider, setHasSlider] = useState(false);
  useLayoutEffect(() => setHasSlider(volumeCanBeSet()), []);
  return (
    <div className={`volume ${level === 0 ? 'volume--muted' : ''}`}>
      <button
        className="icon-button volume__mute"
        type="button"
        aria-label={label}
        onClick={() => keepVolume(toggleMute(volume))}
      >
        <svg className="volume__icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <path d="M4 9v6h4l5 4V5L8 9z" />
          <path className="line-icon" d={sign} />
        </svg>
      </button>
      {hasSlider && (
        <input
          className="volume__level"
          type="range"
          min={0}
          max={FULL_VOLUME}
          step={STEP}
          value={level}
          aria-label={dashboardTexts.volume}
          aria-valuetext={`${level} %`}
          onChange={(event) => keepVolume({ level: event.target.valueAsNumber, muted: false })}
        />
      )}
    </div>
  );
}
