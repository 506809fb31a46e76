import { ApolloLink, makeVar } from '@apollo/client';
import { retry } from 'rxjs';
import { localRecords } from '../session/localRecords.ts';
import { backoffMs, waitOrComeback } from './backoff.ts';
import { failureOf, mayPass } from './failure.ts';

const LONGEST_DELAY_MS = 30_000;

export const serverUnreachable = makeVar(false);

/**
 * Repeats an operation that may succeed later, until it does or another account is signed in. Queries are repeated
 * unless their context says `isRepeated: false`, mutations only if it says `isRepeated: true`.
 */
export const repeat = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    retry({
      async delay(error: unknown, count) {
        const isQuery = operation.operationType === 'query';
        const { account, fetchOptions, isRepeated = isQuery } = operation.getContext();
        if (!isRepeated || !mayPass(error) || fetchOptions?.signal?.aborted) throw error;
        if (isQuery) serverUnreachable(true);
        const { retryAfterSeconds = 0 } = failureOf(error);
        await waitOrComeback(backoffMs(count, LONGEST_DELAY_MS), retryAfterSeconds * 1_000);
        if (!localRecords.isSameAccount(account)) throw error;
      },
    }),
  ),
);
