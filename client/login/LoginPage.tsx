import { type FormEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type CredentialErrors, credentialErrors } from '../../shared/credentialRules.ts';
import { FailureMessage } from '../layout/FailureMessage.tsx';
import { USERNAME_ID, useArrivalFocus } from '../layout/focus.ts';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import { ignoreSecondClick } from '../layout/onePress.ts';
import { texts } from '../texts.ts';
import { EntranceLayout } from './EntranceLayout.tsx';
import { PasswordToggle, TextField } from './TextField.tsx';
import { excessOf, NO_EXCESS, useCutText } from './useCutText.ts';
import { useSignIn } from './useSignIn.ts';

/** @param isFirst - since the page was loaded */
export function LoginPage({ isFirst = true }: { isFirst?: boolean }) {
  const [errors, setErrors] = useState<CredentialErrors>({});
  const usernameInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const [cut, setCut] = useState(NO_EXCESS);
  const warnedOf = useRef(cut);
  const setUsernameCut = useCallback((username: string) => setCut((now) => ({ ...now, username })), []);
  const setPasswordCut = useCallback((password: string) => setCut((now) => ({ ...now, password })), []);
  useCutText(usernameInput, setUsernameCut);
  useCutText(passwordInput, setPasswordCut);
  const [passwordShown, showPassword] = usePasswordShown(passwordInput);
  const { signIn, signingIn, hasCutSound, failure, forgetFailure } = useSignIn();
  useArrivalFocus(usernameInput, { isFirst, onLoad: true });

  /** Reads the inputs themselves: some password managers fill them in without an event. */
  function filledIn() {
    const username = usernameInput.current?.value ?? '';
    const password = passwordInput.current?.value ?? '';
    return { username, password, found: credentialErrors(username, password) };
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    forgetFailure();
    // A browser may offer to remember what is in a text field.
    if (passwordShown) showPassword(false);
    const { username, password, found } = filledIn();
    setErrors(found);
    const excess = { username: excessOf(username, cut.username), password: excessOf(password, cut.password) };
    setCut(excess);
    const warned = warnedOf.current;
    warnedOf.current = excess;
    const isNews = (field: keyof typeof excess) => excess[field] !== '' && excess[field] !== warned[field];
    // Text that was cut off stops one press only, since the rest may be right.
    if (found.username || isNews('username')) usernameInput.current?.focus();
    else if (found.password || isNews('password')) passwordInput.current?.focus();
    else signIn(username, password);
  }

  function change({ target }: FormEvent) {
    // The limit may be that of the username, so another one may be tried.
    if (failure?.code === 'RATE_LIMITED' && target === usernameInput.current) forgetFailure();
    if (errors.username ?? errors.password) setErrors(filledIn().found);
  }

  // The server does not say which of the two is wrong; the password is more likely.
  const refused = failure?.code === 'INVALID_CREDENTIALS';
  useEffect(() => {
    if (!refused) return;
    passwordInput.current?.focus();
    passwordInput.current?.select();
  }, [refused]);

  return (
    <EntranceLayout busy={signingIn}>
      {hasCutSound && <title>{`⚠ ${texts.soundCut} · ${texts.title}`}</title>}
      <form className="entrance__side" autoComplete="off" noValidate onSubmit={submit} onChange={change}>
        <div className="contents" inert={signingIn}>
          <TextField
            ref={usernameInput}
            id={USERNAME_ID}
            type="text"
            inputMode="email"
            label={texts.login.username}
            error={cut.username ? texts.login.tooLong(cut.username) : errors.username}
          />
          <TextField
            ref={passwordInput}
            id="password"
            type={passwordShown ? 'text' : 'password'}
            label={texts.login.password}
            error={cut.password ? texts.login.tooLongBy(cut.password.length) : errors.password}
          >
            <PasswordToggle shown={passwordShown} onToggle={() => showPassword(!passwordShown)} />
          </TextField>
        </div>
        <FailureMessage
          className="login__message"
          failure={failure}
          tooMany={texts.tooManyAttempts}
          supported={['RATE_LIMITED']}
        />
        {hasCutSound && (
          <p className="message message--error login__cut">
            <span>{texts.soundCut}</span>
          </p>
        )}
        <button
          className="button button--primary"
          type="submit"
          onClickCapture={ignoreSecondClick}
          inert={signingIn}
        >
          {texts.login.submit}
        </button>
      </form>
      {signingIn && <LoadingOverlay text={texts.login.submitting} />}
    </EntranceLayout>
  );
}

/** Keeps the caret, which browsers move when the type of an input changes. Chromium up to 147 needs the new focus. */
function usePasswordShown(passwordInput: RefObject<HTMLInputElement | null>) {
  const [passwordShown, setPasswordShown] = useState(false);

  function showPassword(shown: boolean) {
    const input = passwordInput.current;
    if (!input) return;
    const { selectionStart, selectionEnd } = input;
    flushSync(() => setPasswordShown(shown));
    if (document.activeElement !== input) return;
    input.blur();
    input.focus();
    input.setSelectionRange(selectionStart, selectionEnd);
  }

  return [passwordShown, showPassword] as const;
}
