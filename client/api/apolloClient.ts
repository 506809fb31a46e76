import { ApolloClient, ApolloLink, CombinedGraphQLErrors, InMemoryCache, makeVar } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import { BaseHttpLink } from '@apollo/client/link/http';
import { relayStylePagination } from '@apollo/client/utilities';
import { map, timeout } from 'rxjs';
import { LONGEST_CREATION_MS } from '../../shared/creationTime.ts';
import { ACCOUNT_HEADER, accountHeaderOf, SESSION_HEADER } from '../../shared/headers.ts';
import { GRAPHQL_PATH } from '../../shared/paths.ts';
import { pageSession } from '../session/pageSession.ts';
import { failureOf, isTemporary } from './failure.ts';
import { repeat, serverTrouble } from './retry.ts';

const ROUND_TRIP_MS = 2_000;
/** The limit for every answer: no operation takes the server longer than the creation of a token. */
const ANSWER_TIMEOUT_MS = LONGEST_CREATION_MS + ROUND_TRIP_MS;

export const pageOutdated = makeVar(false);

/** Contexts of operations that an instance of an older release may not know; the first also needs no session. */
export const WITHOUT_SESSION = { needsNoSession: true, isRepeated: false };
export const NEW_OPERATION = { isNew: true };

const addAccountHeader = new ApolloLink((operation, forward) => {
  const now = pageSession.asked();
  const account = operation.getContext().needsNoSession ? null : now.account;
  const named = account && { [ACCOUNT_HEADER]: accountHeaderOf(account.id) };
  operation.setContext(({ headers }) => ({
    asked: { ...now, account },
    headers: { ...headers, ...named },
  }));
  return forward(operation);
});

const handleRefusals = new ErrorLink(({ error, operation }) => {
  const { code } = failureOf(error);
  const { asked, needsNoSession, isNew } = operation.getContext();
  if (needsNoSession) return;
  if (code === 'UNAUTHENTICATED' || code === 'OTHER_ACCOUNT') {
    pageSession.refused(asked, code);
  } else if (
    !isNew &&
    (code === 'NEW_VERSION' || (operation.operationType === 'query' && !isTemporary(error)))
  ) {
    pageOutdated(true);
  }
});

/** Throws the errors of an answer, so that the earlier links treat it as a failed request; records any other answer. */
const throwErrors = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      if (result.errors) throw new CombinedGraphQLErrors(result);
      const { asked, needsNoSession, response } = operation.getContext();
      // Requests without a session prove nothing: the server may answer them from memory while all else fails.
      if (!needsNoSession) serverTrouble(null);
      pageSession.answered(asked, response.headers.get(SESSION_HEADER));
      return result;
    }),
  ),
);

const limitTime = new ApolloLink((operation, forward) => forward(operation).pipe(timeout(ANSWER_TIMEOUT_MS)));

const joinedPages = relayStylePagination();

/** Drops a page that does not follow the last row, since the list was fetched anew meanwhile. */
const listOfTokens: typeof joinedPages = {
  ...joinedPages,
  merge(existing, incoming, options) {
    const after = options.args?.after;
    if (after && existing?.pageInfo.endCursor !== after) return existing ?? null;
    return typeof joinedPages.merge === 'function' ? joinedPages.merge(existing, incoming, options) : null;
  },
};

export const apolloClient = new ApolloClient({
  link: ApolloLink.from([
    addAccountHeader,
    handleRefusals,
    repeat,
    throwErrors,
    limitTime,
    new BaseHttpLink({
      uri: GRAPHQL_PATH,
      // Also for what needs no session: a gateway may ask for cookies or a password of its own.
      credentials: 'same-origin',
      // Our server never redirects. Followed, a gateway's redirect to its sign-in would look like no answer at all.
      fetchOptions: { redirect: 'manual' },
    }),
  ]),
  // Equal queries of two accounts would be sent as one, and one account's answer would be given to both.
  queryDeduplication: false,
  cache: new InMemoryCache({
    typePolicies: {
      Query: { fields: { keys: { merge: false }, tokens: listOfTokens } },
    },
  }),
});
