import { PROVIDER_CODES } from '../../../shared/errorCodes.ts';
import { FailureMessage } from '../../layout/FailureMessage.tsx';
import { useFocusHandedOver } from '../../layout/focus.ts';
import { countdown } from '../../page/countdown.ts';
import type { Failure } from '../../page/failure.ts';
import type { StoredToken } from '../../page/records.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useTokenState } from '../useTokenState.ts';
import { isActive, type TokenStage, type View } from '../view.ts';
import './CreateTokenPanel.css';

type CreateTokenPanelProps = {
  token: StoredToken | null;
  stage: TokenStage;
  view: Pick<View, 'urgency' | 'createPauses' | 'sessionEnded'>;
  failure: Failure | undefined;
  createdAt: number | null;
  isNext: boolean;
  disabled: boolean;
  inert: boolean;
  onCreate: (isFirstClick: boolean, at: number) => void;
};

export function CreateTokenPanel(props: CreateTokenPanelProps) {
  const { token, stage, view, failure, createdAt, isNext, disabled, inert, onCreate } = props;
  const { urgency, createPauses, sessionEnded } = view;
  const button = useFocusHandedOver<HTMLButtonElement>(disabled);
  const isUsable = isActive(stage) && urgency !== 'refused';
  const created = isUsable && createdAt !== null;
  const outcomeClass = created ? 'clock--created' : failure && createPauses ? 'clock--failed' : '';
  // Announced only, since the player shows it. What the player says may go unheard: it was inert until now.
  const isRepeated = sessionEnded && failure?.code === 'UNAUTHENTICATED';
  return (
    <section aria-labelledby="clock-heading">
      <h2 className="visually-hidden" id="clock-heading">
        {dashboardTexts.expiry}
      </h2>
      <div className={`clock clock--${urgency} ${outcomeClass}`} inert={inert}>
        <div>
          <p className="clock__label">
            <svg className="line-icon clock__sign" viewBox="0 0 16 16" aria-hidden="true">
              <path d={SIGNS[urgency]} />
            </svg>
            {dashboardTexts.urgencies[urgency]}
          </p>
          <Countdown token={token} />
          <p className="clock__deadline">
            {isUsable && token && dashboardTexts.deadline(timeOfDay(token.expiresAt))}
          </p>
        </div>
        <div className="clock__act">
          <button
            className={`button clock__create ${isNext ? 'button--primary' : 'button--secondary'}`}
            type="button"
            aria-describedby="create-cost"
            ref={button.ref}
            disabled={button.isOff}
            onClick={({ detail, timeStamp }) => onCreate(detail === 1, timeStamp)}
          >
            {dashboardTexts.create}
          </button>
          <p className="clock__cost" id="create-cost">
            {createPauses && dashboardTexts.createPauses}
          </p>
        </div>
      </div>
      <div className="clock__outcome">
        <FailureMessage
          className={isRepeated ? 'visually-hidden' : ''}
          failure={failure}
          tooMany={dashboardTexts.tooMany}
          supported={PROVIDER_CODES}
        />
        <p className="message message--success">
          {created && <span key={createdAt}>{dashboardTexts.created(timeOfDay(createdAt))}</span>}
        </p>
      </div>
    </section>
  );
}

function Countdown({ token }: { token: StoredToken | null }) {
  const { minutes, colon, seconds } = countdown(useTokenState(token));
  // Keyed by `colon`, for a new element: text that moves within an element counts as a layout shift.
  return (
    <span className="clock__time" role="timer" aria-label={dashboardTexts.timeLeft}>
      <span>{minutes}</span>
      <span className="clock__colon" key={colon}>
        {colon}
      </span>
      <span>{seconds}</span>
    </span>
  );
}

const CLOCK = 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.5V8l2.5 2';

const SIGNS = {
  none: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
  calm: CLOCK,
  last: 'M8 1.5 15 14H1zM8 6v4M8 11.5v1',
  refused: 'M3 3l10 10M13 3 3 13',
  expired: 'M3 3l10 10M13 3 3 13',
  outlived: CLOCK,
};
