import { useRef, useState } from 'react';
import type { Failure } from '../failure.ts';
import { localRecords } from '../localRecords.ts';
import { signIn as attemptSignIn } from './signIn.ts';

/** One sign-in at a time. A success writes the local record, on which the guard leaves for the dashboard. */
export function useSignIn() {
  const [signingIn, setSigningIn] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const underWay = useRef(false);

  async function signIn(username: string, password: string): Promise<void> {
    if (underWay.current) return;
    underWay.current = true;
    setSigningIn(true);
    setFailure(undefined);
    const answer = await attemptSignIn(username, password);
    underWay.current = false;
    if ('code' in answer) {
      setSigningIn(false);
      setFailure(answer);
    } else {
      localRecords.signIn(answer);
    }
  }

  return { signIn, signingIn, failure };
}
