import { useEffect, useRef, useState } from 'react';
import { useFailure } from '../api/useFailure.ts';
import { localRecords } from '../session/localRecords.ts';
import { forgetRefusal, sessionWasRefused } from '../session/refusedSession.ts';
import { signIn as attemptSignIn } from './signIn.ts';

/**
 * One sign-in at a time. A success writes the local record, on which the guard leaves for the dashboard. Until the first attempt,
 * whoever the server threw out is told so.
 */
export function useSignIn() {
  const [signingIn, setSigningIn] = useState(false);
  const [failure, setFailure] = useFailure(sessionWasRefused() ? { code: 'UNAUTHENTICATED' } : undefined);
  const underWay = useRef(false);
  useEffect(() => forgetRefusal, []);

  const forgetFailure = () => setFailure(undefined);

  async function signIn(username: string, password: string): Promise<void> {
    if (underWay.current) return;
    underWay.current = true;
    setSigningIn(true);
    const answer = await attemptSignIn(username, password);
    underWay.current = false;
    if ('code' in answer) {
      setSigningIn(false);
      setFailure(answer);
    } else {
      localRecords.signIn(answer);
    }
  }

  return { signIn, signingIn, failure, forgetFailure };
}
