import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
  makeVar,
} from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { RetryLink } from '@apollo/client/link/retry';
import { relayStylePagination } from '@apollo/client/utilities';
import { map, timeout } from 'rxjs';
import { localRecords } from '../session/localRecords.ts';
import { endRefusedSession, sessionRecognised } from '../session/sessionEnd.ts';
import { failureOf } from './failure.ts';
import { backoffMs, waitOrComeback } from './retry.ts';

const ANSWER_TIMEOUT_MS = 15_000;
const LONGEST_RETRY_DELAY_MS = 30_000;

/** True while a query is repeated because the server does not answer it. */
export const serverSilent = makeVar(false);

const rememberAccount = new SetContextLink(() => ({ account: localRecords.account() }));

/** Signs out locally after `UNAUTHENTICATED`, unless somebody signed in anew while the answer was under way. */
const signOutWhenRefused = new ErrorLink(({ error, operation }) => {
  if (failureOf(error).code !== 'UNAUTHENTICATED') return;
  if (operation.getContext().account === localRecords.account()) endRefusedSession();
});

/** Repeats a query until it is answered or the partner signs out, but neither mutations nor queries with the context `isRepeated: false`. */
const repeatQueries = new RetryLink({
  delay: () => 0,
  async attempts(count, operation, error) {
    const { operationType } = operation;
    if (operationType !== 'query' || operation.getContext().isRepeated === false) return false;
    if (failureOf(error).code === 'UNAUTHENTICATED') return false;
    serverSilent(true);
    await waitOrComeback(backoffMs(count, LONGEST_RETRY_DELAY_MS));
    return localRecords.account() !== null;
  },
});

/** Throws the errors of an answer, so that the earlier links treat it as a failed request; records any other answer. */
const throwErrors = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      if (result.errors) throw new CombinedGraphQLErrors(result);
      serverSilent(false);
      if (operation.getContext().account !== null) sessionRecognised();
      return result;
    }),
  ),
);

/** Gives up a request that hangs, so that no overlay waits for ever. */
const limitTime = new ApolloLink((operation, forward) => forward(operation).pipe(timeout(ANSWER_TIMEOUT_MS)));

/** The client of the GraphQL API: same origin, with the session's cookie. */
export const apolloClient = new ApolloClient({
  link: ApolloLink.from([
    rememberAccount,
    signOutWhenRefused,
    repeatQueries,
    throwErrors,
    limitTime,
    new HttpLink({ uri: '/graphql', credentials: 'same-origin' }),
  ]),
  cache: new InMemoryCache({ typePolicies: { Query: { fields: { tokens: relayStylePagination() } } } }),
});
