import { dashboardTexts } from './dashboardTexts.ts';
import { TakeAway } from './TakeAway.tsx';
import type { TokenState } from './tokenState.ts';
import { useCopy } from './useCopy.ts';

type TokenPanelProps = {
  kind: TokenState['kind'];
  token: string | null;
  countdown: string;
  /** The whole stream address, null while there is nothing to copy. */
  address: string | null;
  /** Until when it opens a connection, in epoch milliseconds. */
  expiresAt: number | null;
  /** Our server has not said yet where the stream is, and does not answer. */
  serverSilent: boolean;
  failure: string | undefined;
  onCreate: () => void;
};

/** The token, its address to take away, its time, and the way to the next one. */
export function TokenPanel({
  kind,
  token,
  countdown,
  address,
  expiresAt,
  serverSilent,
  failure,
  onCreate,
}: TokenPanelProps) {
  const { copy, outcome } = useCopy(address);
  return (
    <div className={`token token--${kind}`}>
      <label className="token__label" htmlFor="token">
        {dashboardTexts.token}
      </label>
      <div className="token__row">
        <textarea
          className="token__text"
          id="token"
          readOnly
          spellCheck={false}
          aria-invalid={kind === 'expired'}
          value={token ?? (kind === 'expired' ? dashboardTexts.expired : dashboardTexts.needsToken)}
        />
        <button
          className="button button--secondary token__copy"
          type="button"
          disabled={address === null}
          onClick={() => address !== null && copy(address)}
        >
          <svg className="token__copy-icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M8 8h12v12H8zM4 16V4h12" />
          </svg>
          {dashboardTexts.copy}
        </button>
      </div>
      <p className={`message ${outcome?.copied ? 'message--success' : 'message--error'}`} role="status">
        {outcome
          ? outcome.copied
            ? dashboardTexts.copied
            : dashboardTexts.notCopied
          : token !== null && serverSilent && dashboardTexts.copyWaits}
      </p>
      <TakeAway address={address} expiresAt={expiresAt} />
      <div className="token__creation">
        <span className="token__countdown" role="timer" aria-label={dashboardTexts.timeLeft}>
          {countdown}
        </span>
        <button className="button button--primary token__create" type="button" onClick={onCreate}>
          {dashboardTexts.create}
        </button>
      </div>
      <p className="message message--error token__failure" role="alert">
        {failure}
      </p>
    </div>
  );
}
