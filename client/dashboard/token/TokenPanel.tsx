import { streamUrl } from '../../../shared/streamUrl.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { TokenHistory } from '../history/TokenHistory.tsx';
import { CopyableUrl } from '../takeAway/CopyableUrl.tsx';
import { TakeAway } from '../takeAway/TakeAway.tsx';
import { TOKEN_HEADING_ID } from '../useFocusHandedOver.ts';
import { EarlierToken } from './EarlierToken.tsx';
import { useEarlierTokens } from './useEarlierTokens.ts';
import type { Token } from './useToken.ts';

type TokenPanelProps = {
  token: Token;
  /** The stream's base address, null until it is known. */
  baseUrl: string | null;
  /** Whether the base address is unknown because our server does not answer. */
  serverSilent: boolean;
  /** Whether the provider refuses this token, so that copying it is useless. */
  refused: boolean;
  /** Whether a token is being created. */
  creating: boolean;
};

/** Shows the token and its stream URL, to copy and to use in other software. */
export function TokenPanel({ token, baseUrl, serverSilent, refused, creating }: TokenPanelProps) {
  const earlierTokens = useEarlierTokens();
  const active = token.kind === 'active';
  const url = active && baseUrl !== null ? streamUrl(baseUrl, token.token) : null;
  return (
    <section className={`token token--${token.kind}`} aria-labelledby={TOKEN_HEADING_ID}>
      <CopyableUrl
        url={url}
        fieldName={dashboardTexts.url}
        buttonName={dashboardTexts.copy}
        buttonText={dashboardTexts.copy}
        copiedText={dashboardTexts.copied}
        primary={active && !refused}
        note={active && serverSilent && dashboardTexts.copyWaits}
      />
      <h2 className="token__label" id={TOKEN_HEADING_ID} tabIndex={-1}>
        <label htmlFor="token">{dashboardTexts.token}</label>
      </h2>
      <textarea
        className="input token__text"
        id="token"
        readOnly
        spellCheck={false}
        aria-invalid={token.kind === 'expired'}
        value={textOf(token)}
        onFocus={(event) => active && event.target.select()}
      />
      {earlierTokens.map((earlier) => (
        <EarlierToken key={earlier.token} token={earlier} baseUrl={baseUrl} />
      ))}
      <div className="token__more">
        <TakeAway url={url} expiresAt={active ? token.expiresAt : null} />
        <TokenHistory creating={creating} />
      </div>
    </section>
  );
}

function textOf(token: Token): string {
  if (token.kind === 'active') return token.token;
  return token.kind === 'expired' ? dashboardTexts.expired : dashboardTexts.needsToken;
}
