import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { isDatabaseUnavailable } from '../database/isDatabaseUnavailable.ts';
import { codedErrorOf, INTERNAL_ERROR } from '../errors.ts';
import { withAdvice } from './requestAdvice.ts';

/** A syntax error to graphql-js, although only this server's limit refuses the document. */
const TOO_LONG = /^Syntax Error: (Document contains more tha[nt] \d+ tokens)/;
const NO_PERSISTED_QUERIES = 'Send the operation as text in "query", and turn persisted queries off';

export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = causeOf(error);
  const coded = codedErrorOf(cause);
  if (coded !== null) {
    const { message, code, details } = coded;
    return { ...formatted, message, extensions: { code, ...details } };
  }
  if (formatted.extensions?.code === INTERNAL_ERROR.code) {
    const { message, code } = INTERNAL_ERROR;
    return { ...formatted, message, extensions: { code } };
  }
  const [, tooLong] = TOO_LONG.exec(formatted.message) ?? [];
  if (tooLong !== undefined) {
    const code = ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED;
    return { ...formatted, message: tooLong, extensions: { code } };
  }
  const { nodes } = error as GraphQLError;
  const message = withAdvice(formatted.message, nodes);
  if (formatted.extensions?.code !== ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED) {
    return { ...formatted, message };
  }
  // Clients that see this message send the whole query.
  return { ...formatted, extensions: { ...formatted.extensions, advice: NO_PERSISTED_QUERIES } };
}

export function causeOf(error: unknown): unknown {
  const cause = unwrapResolverError(error);
  const { originalError } = cause as { originalError?: unknown };
  return isDatabaseUnavailable(originalError) ? originalError : cause;
}
