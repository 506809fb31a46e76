import { useQuery, useReactiveVar } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { serverTrouble } from '../api/retry.ts';
import { DashboardDocument } from '../generated/graphql.ts';
import { localRecords } from '../session/localRecords.ts';

/**
 * Fetches the stream's base address, null until it is known, and stores the company's present name. `serverTrouble`:
 * why the address is still unknown, if the server is the cause; `learnBase` sets it when a creation answers with it,
 * which is newer.
 */
export function useDashboardQuery() {
  const { data } = useQuery(DashboardDocument, { fetchPolicy: 'network-only' });
  const trouble = useReactiveVar(serverTrouble);
  const [learned, learnBase] = useState<string | null>(null);

  const session = data?.session;
  useEffect(() => {
    if (session && localRecords.isSameAccount(session)) localRecords.keepAccount(session);
  }, [session]);

  const baseUrl = learned ?? data?.stream.baseUrl ?? null;
  return { baseUrl, serverTrouble: baseUrl === null ? trouble : null, learnBase };
}
