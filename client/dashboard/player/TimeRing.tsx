import { TOKEN_LIFETIME_MINUTES } from '../../../shared/tokenLifetime.ts';
import { shareLeft } from '../../page/countdown.ts';
import type { StoredToken } from '../../page/records.ts';
import { useTokenState } from '../useTokenState.ts';
import type { Urgency } from '../view.ts';
import './TimeRing.css';

export function TimeRing({ token, urgency }: { token: StoredToken | null; urgency: Urgency }) {
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
