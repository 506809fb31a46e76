import type { Failure } from '../../api/failure.ts';
import { FailureMessage } from '../../layout/FailureMessage.tsx';
import { ignoreSecondClick } from '../../layout/onePress.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { countdownText, toneOf } from './countdown.ts';
import { useTokenState } from './useToken.ts';

type TokenClockProps = {
  failure: Failure | undefined;
  onCreate: () => void;
};

/** The countdown, and the button that creates the next token. */
export function TokenClock({ failure, onCreate }: TokenClockProps) {
  const token = useTokenState();
  const tone = toneOf(token);
  return (
    <div>
      <div className={`clock clock--${tone}`}>
        <div className="clock__face">
          <p className="clock__label">
            <svg className="clock__sign" viewBox="0 0 16 16" aria-hidden="true">
              <path d={SIGNS[tone]} />
            </svg>
            {dashboardTexts.tones[tone]}
          </p>
          <span className="clock__time" role="timer" aria-label={dashboardTexts.timeLeft}>
            {countdownText(token)}
          </span>
        </div>
        <button
          className={`button clock__create ${tone === 'calm' ? 'button--secondary' : 'button--primary'}`}
          type="button"
          onClickCapture={ignoreSecondClick}
          onClick={onCreate}
        >
          {dashboardTexts.create}
        </button>
      </div>
      <FailureMessage className="clock__failure" failure={failure} tooMany={dashboardTexts.tooMany} />
    </div>
  );
}

/** Icons that tell the tone without colour: a circle, a clock, a warning and a cross. */
const SIGNS = {
  none: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
  calm: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.5V8l2.5 2',
  last: 'M8 1.5 15 14H1zM8 6v4M8 11.5v1',
  expired: 'M3 3l10 10M13 3 3 13',
};
