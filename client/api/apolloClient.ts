import { ApolloClient, ApolloLink } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import { BaseHttpLink } from '@apollo/client/link/http';
import { timeout } from 'rxjs';
import { localRecords } from '../session/localRecords.ts';
import { endRefusedSession } from '../session/refusedSession.ts';
import { failureOf } from './failureOf.ts';
import { NoCache } from './noCache.ts';

const ANSWER_TIMEOUT_MS = 15_000;

/** A request that hangs is given up, so that no overlay waits for ever. */
const boundInTime = new ApolloLink((operation, forward) =>
  forward(operation).pipe(timeout(ANSWER_TIMEOUT_MS)),
);

const noteWhoAsks = new ApolloLink((operation, forward) => {
  operation.setContext({ asker: localRecords.account() });
  return forward(operation);
});

/**
 * A session that the server refuses is over here too; the guard then shows the login screen. Not so when it is an older one's
 * late answer, after somebody signed in anew.
 */
const signOutWhenRefused = new ErrorLink(({ error, operation }) => {
  if (failureOf(error).code !== 'UNAUTHENTICATED') return;
  if (operation.getContext().asker === localRecords.account()) endRefusedSession();
});

/** The one client of the GraphQL API: same origin, with the session's cookie. */
export const apolloClient = new ApolloClient({
  link: ApolloLink.from([
    noteWhoAsks,
    signOutWhenRefused,
    boundInTime,
    new BaseHttpLink({ uri: '/graphql', credentials: 'same-origin' }),
  ]),
  cache: new NoCache(),
  defaultOptions: {
    query: { fetchPolicy: 'no-cache' },
    watchQuery: { fetchPolicy: 'no-cache' },
    mutate: { fetchPolicy: 'no-cache' },
  },
});
