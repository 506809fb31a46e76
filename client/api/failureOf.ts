import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { type Failure, failureFromExtensions } from '../failure.ts';

/** Why an operation of the Apollo Client was rejected. */
export function failureOf(error: unknown): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) || ServerParseError.is(error)) return { code: 'UNKNOWN' };
  return { code: 'NO_ANSWER' };
}
