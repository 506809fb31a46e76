import { useMutation } from '@apollo/client/react';
import { useCallback, useEffect, useRef } from 'react';
import { LogoutDocument } from '../generated/graphql.ts';
import { localRecords } from '../session/localRecords.ts';
import { pageSession } from '../session/pageSession.ts';

const { pendingLogout } = pageSession;

/**
 * Retries the sign-out until the server confirms it, also when the page is left and at the next visit. The login screen
 * uses it, because it is shown whenever nobody is signed in.
 * @returns `cancel` for a sign-in about to start, whose session a late sign-out would end; `send` for one that failed
 */
export function usePendingLogout() {
  const [logout] = useMutation(LogoutDocument, { fetchPolicy: 'no-cache' });
  const request = useRef<AbortController>(undefined);

  const cancel = useCallback(() => request.current?.abort(), []);

  const send = useCallback(
    ({ keepalive = false } = {}) => {
      cancel();
      if (!pendingLogout.exists() || localRecords.account() !== null) return;
      request.current = new AbortController();
      const fetchOptions = { keepalive, signal: request.current.signal };
      const headers = pendingLogout.headers();
      const context = { isRepeated: true, headers, fetchOptions };
      logout({ context }).then(
        () => pendingLogout.confirm(headers),
        () => {},
      );
    },
    [logout, cancel],
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
