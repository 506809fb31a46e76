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
import { map, Observable } from 'rxjs';
import { ACCOUNT_HEADER, accountHeaderOf } from '../../shared/accountHeader.ts';
import { LONGEST_CREATION_MS } from '../../shared/creationTime.ts';
import { GRAPHQL_PATH } from '../../shared/paths.ts';
import { localRecords } from '../session/localRecords.ts';
import { endRefusedSession, sessionRecognised } from '../session/sessionEnd.ts';
import { failureOf, mayPass } from './failure.ts';
import { backoffMs, waitOrComeback } from './retry.ts';

const SECOND_MS = 1_000;
const ROUND_TRIP_MS = 2 * SECOND_MS;
/** Limits every answer, because the server takes longest to create a token. */
const ANSWER_TIMEOUT_MS = LONGEST_CREATION_MS + ROUND_TRIP_MS;
const LONGEST_RETRY_DELAY_MS = 30_000;

export const serverSilent = makeVar(false);

/** True once the server answered an operation in a way that no later attempt of this page can change. */
export const pageOutdated = makeVar(false);

const nameAccount = new SetContextLink(({ headers }) => {
  const account = localRecords.account();
  if (account === null) return { account };
  return { account, headers: { ...headers, [ACCOUNT_HEADER]: accountHeaderOf(account.id) } };
});

const noticeRefusals = new ErrorLink(({ error, operation }) => {
  const { code } = failureOf(error);
  if (code === 'UNAUTHENTICATED' || code === 'OTHER_ACCOUNT') {
    // Somebody may have signed in anew while the answer was under way.
    if (operation.getContext().account === localRecords.account()) endRefusedSession(code);
  } else if (code === 'NEW_VERSION' || (operation.operationType === 'query' && !mayPass(error))) {
    pageOutdated(true);
  }
});

/**
 * Repeats an operation that may succeed later, until it does or another account is signed in: each query, unless its context says
 * `isRepeated: false`, and each mutation whose context says `isRepeated: true`.
 */
const repeat = new RetryLink({
  delay: () => 0,
  async attempts(count, operation, error) {
    const isQuery = operation.operationType === 'query';
    const { account, fetchOptions, isRepeated = isQuery } = operation.getContext();
    if (!isRepeated || !mayPass(error) || fetchOptions?.signal?.aborted) return false;
    if (isQuery) serverSilent(true);
    const { retryAfterSeconds = 0 } = failureOf(error);
    await waitOrComeback(backoffMs(count, LONGEST_RETRY_DELAY_MS), retryAfterSeconds * SECOND_MS);
    return localRecords.account()?.id === account?.id;
  },
});

/** Throws the errors of an answer, so that the earlier links treat it as a failed request; records any other answer. */
const throwErrors = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      if (result.errors) throw new CombinedGraphQLErrors(result);
      serverSilent(false);
      if (operation.getContext().account !== null) sessionRecognised(true);
      return result;
    }),
  ),
);

const limitTime = new ApolloLink(
  (operation, forward) =>
    // The `timeout` operator of RxJS would add its schedulers to the bundle.
    new Observable((observer) => {
      const timer = setTimeout(() => observer.error(new Error('No answer in time')), ANSWER_TIMEOUT_MS);
      const answer = forward(operation).subscribe(observer);
      return () => {
        clearTimeout(timer);
        answer.unsubscribe();
      };
    }),
);

export const apolloClient = new ApolloClient({
  link: ApolloLink.from([
    nameAccount,
    noticeRefusals,
    repeat,
    throwErrors,
    limitTime,
    new HttpLink({ uri: GRAPHQL_PATH, credentials: 'same-origin' }),
  ]),
  cache: new InMemoryCache({ typePolicies: { Query: { fields: { tokens: relayStylePagination() } } } }),
});
