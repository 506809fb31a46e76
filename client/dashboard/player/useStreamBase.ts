import { useQuery, useReactiveVar } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { serverSilent } from '../../api/apolloClient.ts';
import { DashboardDocument } from '../../api/gql/graphql.ts';
import { localRecords, renewedAccount } from '../../session/localRecords.ts';

export type StreamBase = {
  /** The stream's base address, null until it is known. */
  baseUrl: string | null;
  /** True while the base address is unknown and the server does not answer. */
  serverSilent: boolean;
  /** Sets the base address when another operation answers with it first. */
  learnBase: (baseUrl: string | null) => void;
};

/** Asks the server for the stream's base address, and for the company's present name, which it stores. */
export function useStreamBase(): StreamBase {
  const { data } = useQuery(DashboardDocument, { fetchPolicy: 'network-only' });
  const silent = useReactiveVar(serverSilent);
  const [learned, learnBase] = useState<string | null>(null);

  const session = data?.session;
  useEffect(() => {
    const renewed = renewedAccount(localRecords.account(), session);
    if (renewed) localRecords.keepAccount(renewed);
  }, [session]);

  const baseUrl = data?.stream.baseUrl ?? learned;
  return { baseUrl, serverSilent: silent && baseUrl === null, learnBase };
}
