import { useApolloClient, useMutation } from '@apollo/client/react';
import { useEffect } from 'react';
import { UNASKED_HEADER } from '../shared/headers.ts';
import { failureOf } from './api/failureOfResponse.ts';
import { CreateTokenDocument, DashboardDocument } from './generated/graphql.ts';
import { usePage } from './usePage.ts';

/** Rendered above the error boundaries, so that it works for as long as the page is open. */
export function Requests() {
  const page = usePage();
  const client = useApolloClient();
  // Not cached: the cache may outlive the session.
  const [createToken] = useMutation(CreateTokenDocument, { fetchPolicy: 'no-cache' });

  useEffect(
    () =>
      page.connect({
        async createToken(isAutomatic) {
          const headers = isAutomatic ? { [UNASKED_HEADER]: 'true' } : {};
          try {
            const { data } = await createToken({ context: { headers } });
            return data?.createToken ?? { failure: { code: 'UNKNOWN' } };
          } catch (error) {
            console.warn('Something went wrong');
            return { failure: failureOf(error) };
          }
        },
        async dashboard() {
          try {
            const { data } = await client.query({ query: DashboardDocument, fetchPolicy: 'network-only' });
            return data ?? null;
          } catch {
            return null;
          }
        },
      }),
    [page, client, createToken],
  );

  return null;
}
