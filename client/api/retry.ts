import { ApolloLink } from '@apollo/client';
import { defer, retry } from 'rxjs';
import { SECOND_MS } from '../../shared/durations.ts';
import { backoffMs } from '../page/backoff.ts';
import type { Page } from '../page/createPage.ts';
import type { Failure } from '../page/failure.ts';
import type { ServerTrouble } from '../page/pageState.ts';
import { signedInId } from '../page/session.ts';
import { waitOrComeback } from './comeback.ts';
import { failureOf, isAnswered, isTemporary } from './failureOfResponse.ts';

const LONGEST_DELAY_MS = 30_000;

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
export function createRepeatLink({ state, send }: Pick<Page, 'state' | 'send'>) {
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
