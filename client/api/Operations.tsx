import { ApolloProvider, useMutation, useQuery } from '@apollo/client/react';
import { useCallback, useEffect } from 'react';
import { apolloClient } from './apolloClient.ts';
import type { Failure } from './failure.ts';
import { failureOf } from './failureOf.ts';
import {
  CreateTokenDocument,
  type CreateTokenMutation,
  type DashboardQuery as DashboardData,
  DashboardDocument,
} from './gql/graphql.ts';

/** What is known of the answer so far; `error` is a new one for each failure. */
export type DashboardQuery = {
  data?: DashboardData | undefined;
  error?: unknown;
  refetch: () => Promise<unknown>;
};

export type CreateToken = () => Promise<CreateTokenMutation['createToken'] | Failure>;

type OperationsProps = {
  onQuery: (query: DashboardQuery) => void;
  onCreateToken: (createToken: CreateToken) => void;
};

/** The dashboard's operations, by Apollo's hooks. It shows nothing, but hands on what they bring: the screen stands before it is loaded. */
export function Operations(props: OperationsProps) {
  return (
    <ApolloProvider client={apolloClient}>
      <Hooks {...props} />
    </ApolloProvider>
  );
}

function Hooks({ onQuery, onCreateToken }: OperationsProps) {
  const { data, error, refetch } = useQuery(DashboardDocument);
  const [create] = useMutation(CreateTokenDocument);

  const createToken = useCallback<CreateToken>(async () => {
    try {
      const answer = await create();
      return answer.data?.createToken ?? { code: 'UNKNOWN' };
    } catch (failure) {
      return failureOf(failure, !navigator.onLine);
    }
  }, [create]);

  useEffect(() => onQuery({ data, error, refetch }), [onQuery, data, error, refetch]);
  useEffect(() => onCreateToken(createToken), [onCreateToken, createToken]);
  return null;
}
