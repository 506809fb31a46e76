import { useApolloClient, useMutation } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { track } from '../analytics/track.ts';
import { failureOf } from '../api/failure.ts';
import { useFailure } from '../api/useFailure.ts';
import { LoginDocument } from '../generated/graphql.ts';
import { localRecords, useAccount } from '../session/localRecords.ts';
import { forgetLastSession, lastSession, sessionCookie, sessionEpoch } from '../session/sessionEnd.ts';
import { pendingLogout } from '../session/signOut.ts';
import { usePendingLogout } from './usePendingLogout.ts';

/**
 * Signs in, one attempt at a time. Success writes the local record; `screenFor` (routeGuard.ts) then shows the
 * dashboard. Before the first attempt, `failure` says why the last session ended, unless the partner ended it here.
 */
export function useSignIn() {
  const { cache } = useApolloClient();
  const logout = usePendingLogout();
  const [failure, setFailure] = useFailure(() => lastSession.end && { code: lastSession.end });
  const [login, { loading, data }] = useMutation(LoginDocument, {
    // Otherwise the password would become part of a key in the cache.
    fetchPolicy: 'no-cache',
    onCompleted(answer) {
      pendingLogout.forget();
      track('login');
      sessionCookie.isConfirmed = false;
      sessionEpoch.number += 1;
      localRecords.keepAccount(answer.login);
    },
    onError(error) {
      setFailure(failureOf(error));
      logout.send();
    },
  });
  // After a success the overlay stays until the dashboard appears, unless another tab signs out meanwhile.
  const account = useAccount();
  const signingIn = loading || (data !== undefined && account !== null);

  const [hasCutSound] = useState(lastSession.cutSound);
  useEffect(() => forgetLastSession, []);

  // Removes the last session from memory. `clearStore` would also stop the polling for the operator's notice.
  useEffect(() => {
    cache.modify({
      fields: (value, { fieldName, DELETE }) => (fieldName === 'notice' ? value : DELETE),
      broadcast: false,
    });
    cache.gc();
  }, [cache]);

  function signIn(username: string, password: string): void {
    if (signingIn) return;
    logout.cancel();
    void login({ variables: { username, password } });
  }

  return { signIn, signingIn, hasCutSound, failure, forgetFailure: () => setFailure(undefined) };
}
