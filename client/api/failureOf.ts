import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { type Failure, failureFromExtensions } from './failure.ts';

/** Why an operation of the Apollo Client was rejected. `offline`: the browser knows of no network. */
export function failureOf(error: unknown, offline = false): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) || ServerParseError.is(error)) return { code: 'UNKNOWN' };
  return { code: offline ? 'NO_NETWORK' : 'NO_ANSWER' };
}
