import type { Tone } from './countdown.ts';

/** The centre circle as a clock: one mark a minute, lit as far as there is time left; the dark grows as a clock's hand goes. */
export function TimeRing({ share, tone }: { share: number; tone: Tone }) {
  return (
    <svg className={`ring ring--${tone}`} viewBox="0 0 200 200" aria-hidden="true">
      <mask id="ring-minutes">
        <circle cx="100" cy="100" r="93" pathLength="20" />
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
