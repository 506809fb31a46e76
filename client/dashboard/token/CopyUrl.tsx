import { streamUrl } from '../../../shared/streamUrl.ts';
import { useFocusHandedOver } from '../../layout/focus.ts';
import type { StoredToken } from '../../page/records.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { selectsAll } from '../selectsAll.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useCopy } from '../useCopy.ts';
import type { Urgency } from '../view.ts';

type CopyUrlProps = {
  token: StoredToken | null;
  urgency: Urgency;
  baseUrl: string | null;
  /** The id to which a label refers; a field without a label has a `fieldName`. */
  fieldId?: string;
  fieldName?: string;
  buttonName: string;
  buttonText: string;
  primary: boolean;
  note?: string | false;
};

export function CopyUrl(props: CopyUrlProps) {
  const { token, urgency, baseUrl, fieldId, fieldName, buttonName, buttonText, primary, note } = props;
  const url = token && baseUrl !== null ? streamUrl(baseUrl, token.token) : null;
  const { copy, field, outcome } = useCopy(url);
  const button = useFocusHandedOver<HTMLButtonElement>(url === null);
  return (
    <div className="url">
      <div className="url__line">
        <div className="url__place">
          <input
            className="mono url__field"
            ref={field}
            readOnly
            spellCheck={false}
            id={fieldId}
            aria-label={fieldName}
            placeholder={dashboardTexts.noUrl}
            value={url ?? ''}
            {...selectsAll}
          />
          {url !== null && <ShortUrl url={url} />}
        </div>
        <button
          className={`button url__copy ${primary ? 'button--primary' : 'button--secondary'}`}
          type="button"
          ref={button.ref}
          disabled={button.isOff}
          aria-label={buttonName}
          onClick={() => url !== null && copy(url)}
        >
          <svg className="line-icon url__icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M8 8h12v12H8zM4 16V4h12" />
          </svg>
          {buttonText}
        </button>
      </div>
      <p className={`message message--${outcome?.copied ? COPIED_LOOKS[urgency] : 'error'}`} role="status">
        {outcome && token ? (
          <span key={outcome.at}>
            {outcome.copied ? copiedText(urgency, token.expiresAt) : dashboardTexts.notCopied}
          </span>
        ) : (
          note
        )}
      </p>
    </div>
  );
}

const END_LENGTH = 6;

/** Covers the field until it has the focus. The end is always shown: only there do two URLs differ for sure. */
function ShortUrl({ url }: { url: string }) {
  return (
    <span className="mono url__short" aria-hidden="true">
      <span className="url__start">{url.slice(0, -END_LENGTH)}</span>
      <span>{url.slice(-END_LENGTH)}</span>
    </span>
  );
}

const COPIED_LOOKS: Partial<Record<Urgency, string>> = { calm: 'success', last: 'warning', refused: 'error' };

export function copiedText(urgency: Urgency, expiresAt: number): string {
  if (urgency === 'refused') return dashboardTexts.copiedRefused;
  const deadline = timeOfDay(expiresAt);
  return urgency === 'last' ? dashboardTexts.copiedLate(deadline) : dashboardTexts.copied(deadline);
}
