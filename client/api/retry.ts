import { ApolloLink, makeVar } from '@apollo/client';
import { retry } from 'rxjs';
import { SECOND_MS } from '../../shared/durations.ts';
import { localRecords } from '../session/localRecords.ts';
import { backoffMs, waitOrComeback } from './backoff.ts';
import { failureOf, isAnswered, isTemporary } from './failure.ts';

const LONGEST_DELAY_MS = 30_000;

/** `serverFails`: it answers, but with a temporary failure. */
export type ServerTrouble = 'serverUnreachable' | 'serverFails';

/** Why a query is being repeated; null once an operation succeeds. */
export const serverTrouble = makeVar<ServerTrouble | null>(null);

/**
 * Repeats an operation that failed temporarily, until it succeeds or another account is signed in. Queries are repeated
 * unless their context has `isRepeated: false`, mutations only with `isRepeated: true`. Apollo's `RetryLink` sees no
 * GraphQL errors, and would not end a wait when the network is back.
 */
export const repeat = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    retry({
      async delay(error: unknown, count) {
        const isQuery = operation.operationType === 'query';
        const { account, fetchOptions, isRepeated = isQuery } = operation.getContext();
        if (!isRepeated || !isTemporary(error) || fetchOptions?.signal?.aborted) throw error;
        if (isQuery) serverTrouble(isAnswered(error) ? 'serverFails' : 'serverUnreachable');
        const { retryAfterSeconds = 0 } = failureOf(error);
        await waitOrComeback(backoffMs(count, LONGEST_DELAY_MS), retryAfterSeconds * SECOND_MS);
        if (!localRecords.isSameAccount(account)) throw error;
      },
    }),
  ),
);
