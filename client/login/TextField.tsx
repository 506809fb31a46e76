import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { CREDENTIAL_MAX_LENGTH } from '../../shared/credentialRules.ts';
import { texts } from '../texts.ts';
import './TextField.css';

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
