import { useApolloClient, useMutation } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { track } from '../analytics/track.ts';
import { failureOf } from '../api/failure.ts';
import { useFailure } from '../api/useFailure.ts';
import { LoginDocument } from '../generated/graphql.ts';
import { useAccount } from '../session/localRecords.ts';
import { pageSession } from '../session/pageSession.ts';
import { usePendingLogout } from './usePendingLogout.ts';

/**
 * Signs in, one attempt at a time. Success writes the local record; `screenFor` (routeGuard.ts) then shows the
 * dashboard. Before the first attempt, `failure` says why the last session ended, unless the partner ended it here.
 */
export function useSignIn() {
  const { cache } = useApolloClient();
  const logout = usePendingLogout();
  const [failure, setFailure] = useFailure(() => {
    const { end } = pageSession.last();
    return end && { code: end };
  });
  const [login, { loading, data }] = useMutation(LoginDocument, {
    // Otherwise the password would become part of a key in the cache.
    fetchPolicy: 'no-cache',
    onCompleted(answer) {
      track('login');
      pageSession.signIn(answer.login);
    },
    onError(error) {
      setFailure(failureOf(error));
      logout.send();
    },
  });
  // After a success the overlay stays until the dashboard appears, unless another tab signs out meanwhile.
  const account = useAccount();
  const signingIn = loading || (data !== undefined && account !== null);

  const [hasCutSound] = useState(() => pageSession.last().cutSound);
  useEffect(() => pageSession.forgetLast, []);

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
