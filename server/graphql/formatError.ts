import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import { codedErrorOf, INTERNAL_ERROR } from '../errors.ts';

const SEND_QUERY = 'Send the operation as text in "query"';
const NO_PERSISTED_QUERIES = `${SEND_QUERY}, and turn persisted queries off`;
const NO_QUERY = /^(POST body missing|GraphQL operations must contain|GraphQL queries must be strings)/;

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
  if (NO_QUERY.test(formatted.message)) return { ...formatted, message: SEND_QUERY };
  if (formatted.extensions?.code !== ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED) return formatted;
  // Apps that see this message send the whole query.
  return { ...formatted, extensions: { ...formatted.extensions, advice: NO_PERSISTED_QUERIES } };
}

export function causeOf(error: unknown): unknown {
  const cause = unwrapResolverError(error);
  const { originalError } = cause as { originalError?: unknown };
  return codedErrorOf(originalError) === null ? cause : originalError;
}
