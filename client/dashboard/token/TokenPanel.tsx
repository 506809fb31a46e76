import { useEffect, useRef } from 'react';
import { dashboardTexts } from '../dashboardTexts.ts';
import { TakeAway } from '../takeAway/TakeAway.tsx';
import { useCopy } from '../takeAway/useCopy.ts';
import { TOKEN_HEADING_ID, useFocusHandedOver } from '../useFocusHandedOver.ts';
import type { Token } from './useToken.ts';

type TokenPanelProps = {
  token: Token;
  /** The stream URL, null while there is none. */
  address: string | null;
  /** Our server does not answer, and the stream's base is not known yet. */
  serverSilent: boolean;
  /** The provider does not accept this token: copying it is no help. */
  refused: boolean;
};

/** The token, and its stream URL to copy or to use in another program. */
export function TokenPanel({ token, address, serverSilent, refused }: TokenPanelProps) {
  const { copy, outcome } = useCopy(address);
  const active = token.kind === 'active';
  const button = useFocusHandedOver(address === null);
  return (
    <section className={`token token--${token.kind}`} aria-labelledby={TOKEN_HEADING_ID}>
      <h2 className="token__label" id={TOKEN_HEADING_ID} tabIndex={-1}>
        <label htmlFor="token">{dashboardTexts.token}</label>
      </h2>
      <textarea
        className="token__text"
        id="token"
        readOnly
        spellCheck={false}
        aria-invalid={token.kind === 'expired'}
        value={textOf(token)}
        onFocus={(event) => active && event.target.select()}
      />
      <div className="token__actions">
        <button
          className={`button token__copy ${active && !refused ? 'button--primary' : 'button--secondary'}`}
          type="button"
          ref={button}
          disabled={address === null}
          onClick={() => address !== null && copy(address)}
        >
          <svg className="token__copy-icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M8 8h12v12H8zM4 16V4h12" />
          </svg>
          {dashboardTexts.copy}
        </button>
        <p className={`message ${outcome?.copied ? 'message--success' : 'message--error'}`} role="status">
          {outcome ? (
            <span key={outcome.number}>
              {outcome.copied ? dashboardTexts.copied : dashboardTexts.notCopied}
            </span>
          ) : (
            active && serverSilent && dashboardTexts.copyWaits
          )}
        </p>
      </div>
      {outcome && !outcome.copied && <SelectedAddress key={outcome.number} address={outcome.text} />}
      <TakeAway address={address} expiresAt={active ? token.expiresAt : null} />
    </section>
  );
}

/** The address to copy by hand, where the browser lets no page copy. */
function SelectedAddress({ address }: { address: string }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <input
      className="token__address"
      ref={field}
      readOnly
      aria-label={dashboardTexts.address}
      value={address}
      onFocus={(event) => event.target.select()}
    />
  );
}

function textOf(token: Token): string {
  if (token.kind === 'active') return token.token;
  return token.kind === 'expired' ? dashboardTexts.expired : dashboardTexts.needsToken;
}
