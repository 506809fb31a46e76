import { useApolloClient, useMutation } from '@apollo/client/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ACCOUNT_HEADER, SESSION_HEADER } from '../../shared/headers.ts';
import { track } from '../analytics/analytics.ts';
import { failureOf } from '../api/failureOfResponse.ts';
import { useFailure } from '../api/network.ts';
import { LoginDocument, LogoutDocument } from '../generated/graphql.ts';
import type { SigningOut } from '../page/records.ts';
import { usePage, useShown } from '../usePage.ts';

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

/**
 * Retries the sign-out until the server confirms it, also when the page is left and at the next visit. The login screen
 * uses it, because it is shown whenever nobody is signed in.
 * @returns `cancel` for a sign-in about to start, whose session a late sign-out would end; `send` for one that failed
 */
function usePendingLogout() {
  const page = usePage();
  const [logout] = useMutation(LogoutDocument, { fetchPolicy: 'no-cache' });
  const request = useRef<AbortController>(undefined);

  const cancel = useCallback(() => request.current?.abort(), []);

  const send = useCallback(
    ({ keepalive = false } = {}) => {
      cancel();
      const { kind, signingOut: sent } = page.state();
      if (sent === null || kind === 'signedIn') return;
      request.current = new AbortController();
      const fetchOptions = { keepalive, signal: request.current.signal };
      const context = { isRepeated: true, headers: headersOf(sent), fetchOptions };
      logout({ context }).then(
        () => page.send({ type: 'signOutConfirmed', sent }),
        () => {},
      );
    },
    [page, logout, cancel],
  );

  useEffect(() => {
    // `keepalive` lets the request outlive the page. Only here, because Chromium cannot cancel such a request.
    const onPageHide = () => send({ keepalive: true });
    send();
    window.addEventListener('pagehide', onPageHide);
    return () => {
      cancel();
      window.removeEventListener('pagehide', onPageHide);
    };
  }, [send, cancel]);

  return { send, cancel };
}

/** The headers that keep the server from ending another session than this one. */
function headersOf({ account, session }: SigningOut): Record<string, string> {
  return { [ACCOUNT_HEADER]: account, ...(session !== null && { [SESSION_HEADER]: session }) };
}
