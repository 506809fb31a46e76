import { ApolloProvider } from '@apollo/client/react';
import { apolloClient } from '../api/apolloClient.ts';
import type { Account } from '../storage.ts';
import { Dashboard } from './Dashboard.tsx';

export function DashboardPage({ account }: { account: Account }) {
  return (
    <ApolloProvider client={apolloClient}>
      <Dashboard company={account.company} />
    </ApolloProvider>
  );
}
