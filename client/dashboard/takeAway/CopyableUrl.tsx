import { dashboardTexts } from '../dashboardTexts.ts';
import { timeOfDay } from '../timeOfDay.ts';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import { useCopy } from './useCopy.ts';

type CopyableUrlProps = {
  /** Null while there is none. */
  url: string | null;
  /** The name of the field, for screen readers. */
  fieldName: string;
  /** The button's accessible name, which does not change when the button shows that the URL was copied. */
  buttonName: string;
  buttonText: string;
  copiedText: string;
  primary: boolean;
  /** A message to show until something is copied. */
  note?: string | false;
};

/** A stream URL in one line, joined to the button that copies it. */
export function CopyableUrl(props: CopyableUrlProps) {
  const { url, fieldName, buttonName, buttonText, copiedText, primary, note } = props;
  const { copy, field, outcome } = useCopy(url);
  const button = useFocusHandedOver(url === null);
  return (
    <div className="url">
      <div className="url__line">
        <input
          className="input url__field"
          ref={field}
          readOnly
          spellCheck={false}
          aria-label={fieldName}
          placeholder={dashboardTexts.noUrl}
          value={url ?? ''}
          onFocus={(event) => event.target.select()}
        />
        <button
          className={`button url__copy ${primary ? 'button--primary' : 'button--secondary'}`}
          type="button"
          ref={button}
          disabled={url === null}
          aria-label={buttonName}
          onClick={() => url !== null && copy(url)}
        >
          {outcome?.fresh ? (
            copiedText
          ) : (
            <>
              <svg className="url__icon" viewBox="0 0 24 24" aria-hidden="true">
                <path d="M8 8h12v12H8zM4 16V4h12" />
              </svg>
              {buttonText}
            </>
          )}
        </button>
      </div>
      <p className={`message ${outcome?.copied ? 'message--success' : 'message--error'}`} role="status">
        {outcome ? (
          <span key={outcome.at}>
            {outcome.copied ? dashboardTexts.copiedAt(timeOfDay(outcome.at)) : dashboardTexts.notCopied}
          </span>
        ) : (
          note
        )}
      </p>
    </div>
  );
}
