import { useQuery, useReactiveVar } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { serverUnreachable } from '../api/retry.ts';
import { DashboardDocument } from '../generated/graphql.ts';
import { localRecords } from '../session/localRecords.ts';

/**
 * Fetches the stream's base address, null until it is known, and stores the company's present name. `serverUnreachable`: the
 * address is unknown because the server does not answer; `learnBase` sets it when another operation answers with it
 * first.
 */
export function useDashboardQuery() {
  const { data } = useQuery(DashboardDocument, { fetchPolicy: 'network-only' });
  const unreachable = useReactiveVar(serverUnreachable);
  const [learned, learnBase] = useState<string | null>(null);

  const session = data?.session;
  useEffect(() => {
    if (session && localRecords.isSameAccount(session)) localRecords.keepAccount(session);
  }, [session]);

  const baseUrl = data?.stream.baseUrl ?? learned;
  return { baseUrl, serverUnreachable: unreachable && baseUrl === null, learnBase };
}
