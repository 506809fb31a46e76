import { useQuery } from '@apollo/client/react';
import { useEffect, useRef } from 'react';
import { DashboardDocument } from '../gql/graphql.ts';
import { localRecords } from '../localRecords.ts';
import { backoffMs } from './backoff.ts';

const LONGEST_RETRY_DELAY_MS = 30_000;

/**
 * Asks the server once whether the session stands and where the stream is; answers the stream's base address, null until it
 * is known. A server out of reach is asked again and again: only its own word ends the session.
 */
export function useStreamBase(): string | null {
  const { data, error, refetch } = useQuery(DashboardDocument);
  const attempts = useRef(0);

  useEffect(() => {
    if (!error) return;
    attempts.current += 1;
    const retry = setTimeout(
      () => {
        refetch().catch(() => undefined);
      },
      backoffMs(attempts.current, LONGEST_RETRY_DELAY_MS),
    );
    return () => clearTimeout(retry);
  }, [error, refetch]);

  const refused = data?.session === null;
  useEffect(() => {
    if (refused) localRecords.signOut();
  }, [refused]);

  return data?.stream.baseUrl ?? null;
}
