import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import type { OperationCode } from '../../shared/operationCodes.ts';
import { isDatabaseUnavailable, unavailableReason } from '../database/database.ts';
import { CodedError, type RequestCode } from '../errors.ts';
import { reasonOf, withoutSentValue } from '../observing/loggedError.ts';
import type { RequestContext } from './requestContext.ts';

/** An error as callers see it: ours and GraphQL's own by their codes, everything else masked. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = causeOf(error);
  if (cause instanceof CodedError) return formatted;
  if (isDatabaseUnavailable(cause)) {
    return masked(formatted, 'DATABASE_UNAVAILABLE', 'The database cannot be reached, try again in a moment');
  }
  if (formatted.extensions?.code === 'INTERNAL_SERVER_ERROR') {
    return masked(formatted, 'INTERNAL_SERVER_ERROR', 'Internal server error');
  }
  return { ...formatted, message: withoutSentValue(formatted.message) };
}

/** Logs what an operator has to know of: failures of the inside and of the world around, never a caller's mistake. */
export const errorLogging: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors) {
          const cause = causeOf(error);
          if (cause instanceof CodedError) {
            if (cause.cause !== undefined)
              contextValue.log.warn({ code: cause.code, reason: reasonOf(cause.cause) }, 'failed');
          } else if (isDatabaseUnavailable(cause)) {
            const reason = unavailableReason(cause);
            contextValue.log.warn({ code: 'DATABASE_UNAVAILABLE', reason }, 'failed');
          } else if (cause !== error || error.extensions.code === 'INTERNAL_SERVER_ERROR') {
            contextValue.log.error({ code: 'INTERNAL_SERVER_ERROR', err: cause }, 'failed');
          }
        }
      },
    };
  },
};

/** What a resolver threw, or a plugin; Apollo Server knows the former by their path. */
function causeOf(error: unknown): unknown {
  const cause = unwrapResolverError(error);
  const { originalError } = cause as { originalError?: unknown };
  return isDatabaseUnavailable(originalError) ? originalError : cause;
}

function masked(
  { path, locations }: GraphQLFormattedError,
  code: OperationCode | RequestCode,
  message: string,
): GraphQLFormattedError {
  return { message, extensions: { code }, ...(path && { path }), ...(locations && { locations }) };
}
