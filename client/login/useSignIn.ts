import { useApolloClient, useMutation } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { track } from '../analytics/analytics.ts';
import { failureOf } from '../api/failureOfResponse.ts';
import { useFailure } from '../api/useFailure.ts';
import { LoginDocument } from '../generated/graphql.ts';
import { usePage, useShown } from '../usePage.ts';
import { usePendingLogout } from './usePendingLogout.ts';

/**
 * Signs in, one attempt at a time. After a success `screenFor` (routeGuard.ts) shows the dashboard. Before the first
 * attempt, `failure` says why the last session ended, unless the partner ended it here.
 */
export function useSignIn() {
  const page = usePage();
  const isSignedIn = useShown(({ kind }) => kind === 'signedIn');
  const end = useShown((shown) => (shown.kind === 'signedOut' ? shown.end : null));
  const hasCutSound = useShown((shown) => shown.kind === 'signedOut' && shown.cutSound);
  const { cache } = useApolloClient();
  const logout = usePendingLogout();
  const [failure, setFailure] = useFailure();
  const [isEndForgotten, setIsEndForgotten] = useState(false);
  const [login, { loading, data }] = useMutation(LoginDocument, {
    // Otherwise the password would become part of a key in the cache.
    fetchPolicy: 'no-cache',
    onCompleted(answer) {
      track('login');
      const { id, company } = answer.login;
      page.send({ type: 'signedIn', account: { id, company } });
    },
    onError(error) {
      setFailure(failureOf(error));
      logout.send();
    },
  });
  // After a success the overlay stays until the dashboard appears, unless another tab signs out meanwhile.
  const signingIn = loading || (data !== undefined && isSignedIn);

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

  function forgetFailure(): void {
    setIsEndForgotten(true);
    setFailure(undefined);
  }

  const endFailure = end === null || isEndForgotten ? undefined : { code: end };
  return { signIn, signingIn, hasCutSound, failure: failure ?? endFailure, forgetFailure };
}
