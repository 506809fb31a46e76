import { useMutation } from '@apollo/client/react';
import { useCallback, useEffect, useRef } from 'react';
import { ACCOUNT_HEADER, SESSION_HEADER } from '../../shared/headers.ts';
import { LogoutDocument } from '../generated/graphql.ts';
import type { SigningOut } from '../page/records.ts';
import { usePage } from '../usePage.ts';

/**
 * Retries the sign-out until the server confirms it, also when the page is left and at the next visit. The login screen
 * uses it, because it is shown whenever nobody is signed in.
 * @returns `cancel` for a sign-in about to start, whose session a late sign-out would end; `send` for one that failed
 */
export function usePendingLogout() {
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
