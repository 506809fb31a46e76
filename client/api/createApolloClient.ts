import { ApolloClient, ApolloLink, CombinedGraphQLErrors, InMemoryCache, ServerError } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import { BaseHttpLink } from '@apollo/client/link/http';
import { getMainDefinition, relayStylePagination } from '@apollo/client/utilities';
import { defer, map, retry, timeout } from 'rxjs';
import { LONGEST_CREATION_MS } from '../../shared/creationTime.ts';
import { SECOND_MS } from '../../shared/durations.ts';
import { ACCOUNT_HEADER, accountHeaderOf, SESSION_HEADER } from '../../shared/headers.ts';
import { GRAPHQL_PATH } from '../../shared/paths.ts';
import { backoffMs } from '../page/backoff.ts';
import type { Page } from '../page/createPage.ts';
import type { Failure } from '../page/failure.ts';
import type { ServerTrouble } from '../page/pageState.ts';
import { signedInId } from '../page/session.ts';
import { failureOf, hasNoCredentials, isAnswered, isTemporary } from './failureOfResponse.ts';
import { waitOrComeback } from './network.ts';

const ROUND_TRIP_MS = 2_000;
/** The limit for every answer: no operation takes the server longer than the creation of a token. */
const ANSWER_TIMEOUT_MS = LONGEST_CREATION_MS + ROUND_TRIP_MS;

/** Contexts of operations that an instance of an older release may not know; the first also needs no session. */
export const WITHOUT_SESSION = { needsNoSession: true, isRepeated: false };
export const NEW_OPERATION = { isNew: true };
const LONGEST_DELAY_MS = 30_000;

export function createApolloClient(page: Pick<Page, 'state' | 'send'>) {
  return new ApolloClient({
    link: ApolloLink.from([
      createAccountLink(page),
      createRefusalLink(page),
      createRepeatLink(page),
      createAnswerLink(page),
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
}

function createAccountLink(page: Pick<Page, 'state'>) {
  return new ApolloLink((operation, forward) => {
    const state = page.state();
    const id = operation.getContext().needsNoSession ? null : signedInId(state);
    const named = id !== null && { [ACCOUNT_HEADER]: accountHeaderOf(id) };
    operation.setContext(({ headers }) => ({
      sessionNumber: state.sessionNumber,
      accountId: id,
      headers: { ...headers, ...named },
    }));
    return forward(operation);
  });
}

function createRefusalLink(page: Pick<Page, 'send'>) {
  return new ErrorLink(({ error, operation }) => {
    const { code } = failureOf(error);
    const { sessionNumber, needsNoSession, isNew } = operation.getContext();
    if (needsNoSession) return;
    if (code === 'UNAUTHENTICATED' || code === 'OTHER_ACCOUNT') {
      page.send({ type: 'sessionRefused', sessionNumber, code, hasNoCookie: hasNoCredentials(error) });
    } else if (
      !isNew &&
      (code === 'NEW_VERSION' || (operation.operationType === 'query' && !isTemporary(error)))
    ) {
      page.send({ type: 'pageOutdated' });
    }
  });
}

/**
 * Throws the errors of an answer, so that the earlier links treat it as a failed request. JSON of another program is an
 * error too: Apollo's HTTP link lets it pass if it is a list or has a field `data`.
 */
function createAnswerLink(page: Pick<Page, 'send'>) {
  return new ApolloLink((operation, forward) =>
    forward(operation).pipe(
      map((result) => {
        if (result.errors) throw new CombinedGraphQLErrors(result);
        const { sessionNumber, accountId, needsNoSession, response } = operation.getContext();
        if (!answers(operation, result.data)) {
          throw new ServerError('The answer lacks what was asked for', { response, bodyText: '' });
        }
        // Requests without a session prove nothing: the server may answer them from memory while all else fails.
        if (!needsNoSession) page.send({ type: 'troubleChanged', trouble: null });
        if (accountId !== null)
          page.send({
            type: 'sessionConfirmed',
            sessionNumber,
            sessionId: response.headers.get(SESSION_HEADER),
          });
        return result;
      }),
    ),
  );
}

function answers({ query }: ApolloLink.Operation, data: ApolloLink.Result['data']): boolean {
  const { selections } = getMainDefinition(query).selectionSet;
  return selections.every(
    (field) => field.kind !== 'Field' || data?.[(field.alias ?? field.name).value] !== undefined,
  );
}

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

const TROUBLES: Partial<Record<Failure['code'], ServerTrouble>> = {
  OTHER_PAGE: 'otherPage',
  TOO_MANY_COOKIES: 'tooManyCookies',
  TOO_LARGE: 'tooLarge',
};

/**
 * Repeats an operation that failed temporarily, until it succeeds or another account is signed in. Queries are repeated
 * unless their context has `isRepeated: false`, mutations only with `isRepeated: true`. Apollo's `RetryLink` sees no
 * GraphQL errors, and would not end a wait when the network is back.
 */
function createRepeatLink({ state, send }: Pick<Page, 'state' | 'send'>) {
  return new ApolloLink((operation, forward) =>
    // Forwards each attempt anew: Apollo's HTTP link makes the signal that ends a request when it is forwarded.
    defer(() => forward(operation)).pipe(
      retry({
        async delay(error: unknown, count) {
          const isQuery = operation.operationType === 'query';
          const { accountId, fetchOptions, isRepeated = isQuery } = operation.getContext();
          if (!isRepeated || !isTemporary(error) || fetchOptions?.signal?.aborted) throw error;
          const { code, retryAfterSeconds = 0 } = failureOf(error);
          if (isQuery) send({ type: 'troubleChanged', trouble: troubleOf(code, error) });
          await waitOrComeback(backoffMs(count, LONGEST_DELAY_MS), retryAfterSeconds * SECOND_MS);
          if (signedInId(state()) !== accountId) throw error;
        },
      }),
    ),
  );
}

function troubleOf(code: Failure['code'], error: unknown): ServerTrouble {
  return TROUBLES[code] ?? (isAnswered(error) ? 'serverFails' : 'serverUnreachable');
}
