import { type FormEvent, useEffect, useRef, useState } from 'react';
import {
  CREDENTIAL_MAX_LENGTH,
  type CredentialErrors,
  credentialErrors,
} from '../../shared/credentialRules.ts';
import { Entrance } from '../layout/Entrance.tsx';
import { FailureMessage } from '../layout/FailureMessage.tsx';
import { LoadingOverlay } from '../layout/LoadingOverlay.tsx';
import { useArrivalFocus } from '../layout/useArrivalFocus.ts';
import { texts } from '../texts.ts';
import { TextField } from './TextField.tsx';
import { useSignIn } from './useSignIn.ts';
import './login.css';

export function LoginPage() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [attempted, setAttempted] = useState(false);
  const usernameInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const { signIn, signingIn, failure } = useSignIn();
  useArrivalFocus(usernameInput, { onLoad: true });
  const errors: CredentialErrors = attempted ? credentialErrors(username, password) : {};

  function submit(event: FormEvent) {
    event.preventDefault();
    setAttempted(true);
    const found = credentialErrors(username, password);
    if (found.username) usernameInput.current?.focus();
    else if (found.password) passwordInput.current?.focus();
    else signIn(username, password);
  }

  // Which of the two is wrong nobody is told; the one that is typed unseen is the likelier.
  const refused = failure?.code === 'INVALID_CREDENTIALS';
  useEffect(() => {
    if (!refused) return;
    passwordInput.current?.focus();
    passwordInput.current?.select();
  }, [refused]);

  return (
    <Entrance busy={signingIn}>
      <form className="entrance__side" autoComplete="off" noValidate onSubmit={submit} inert={signingIn}>
        <TextField
          ref={usernameInput}
          id="username"
          type="text"
          label={texts.login.username}
          error={errors.username}
          maxLength={CREDENTIAL_MAX_LENGTH}
          value={username}
          onChange={setUsername}
        />
        <TextField
          ref={passwordInput}
          id="password"
          type="password"
          label={texts.login.password}
          error={errors.password}
          maxLength={CREDENTIAL_MAX_LENGTH}
          value={password}
          onChange={setPassword}
        />
        <FailureMessage className="login__message" failure={failure} />
        <button className="button button--primary" type="submit">
          {texts.login.submit}
        </button>
      </form>
      {signingIn && <LoadingOverlay text={texts.login.submitting} />}
    </Entrance>
  );
}
