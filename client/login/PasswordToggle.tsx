import { texts } from '../texts.ts';
import './PasswordToggle.css';

export function PasswordToggle({ shown, onToggle }: { shown: boolean; onToggle: () => void }) {
  return (
    <button
      className="icon-button field__toggle"
      type="button"
      title={shown ? texts.login.hidePassword : texts.login.showPassword}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onToggle}
    >
      <svg className="line-icon" viewBox="0 0 24 24" width={24} height={24} aria-hidden="true">
        <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
        <circle cx="12" cy="12" r="3" />
        {shown && <path d="M4 20 20 4" />}
      </svg>
    </button>
  );
}
