import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { CREDENTIAL_MAX_LENGTH } from '../../shared/credentialRules.ts';
import { texts } from '../texts.ts';

type TextFieldProps = {
  id: string;
  type: 'text' | 'password';
  inputMode?: InputHTMLAttributes<HTMLInputElement>['inputMode'];
  label: string;
  error: string | undefined;
  ref: Ref<HTMLInputElement>;
  children?: ReactNode;
};

export function TextField({ id, type, inputMode, label, error, ref, children }: TextFieldProps) {
  const requiredId = `${id}-required`;
  const errorId = `${id}-error`;
  return (
    <div className="field">
      <div className="field__heading">
        <label className="field__label" htmlFor={id}>
          {label}
        </label>
        <span className="field__required" id={requiredId}>
          {texts.login.required}
        </span>
      </div>
      <div className="field__control">
        <input
          ref={ref}
          className="input field__input"
          id={id}
          name={id}
          type={type}
          inputMode={inputMode}
          maxLength={CREDENTIAL_MAX_LENGTH}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          aria-required
          aria-invalid={error !== undefined}
          aria-describedby={`${requiredId} ${errorId}`}
        />
        {children}
      </div>
      {/* `aria-live`, since the description of a field that has the focus already is not read again. */}
      <p className="message message--error field__error" id={errorId} aria-live="polite">
        {error}
      </p>
    </div>
  );
}

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
