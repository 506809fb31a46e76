import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { OPERATION_CODES, type OperationCode } from '../../shared/operationCodes.ts';
import { texts } from '../texts.ts';

const SECONDS_TOLD_AS_SECONDS = 90;

/** Why an operation failed. `NO_ANSWER`: the server was not reached in time; `NO_NETWORK`: the browser knows of no network. */
export type Failure = {
  code: OperationCode | 'NO_ANSWER' | 'NO_NETWORK' | 'UNKNOWN';
  retryAfterSeconds?: number | undefined;
};

/** Returns the failure that an error of the Apollo Client stands for; never decided by a message. */
export function failureOf(error: unknown, offline = false): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) || ServerParseError.is(error)) return { code: 'UNKNOWN' };
  return { code: offline ? 'NO_NETWORK' : 'NO_ANSWER' };
}

/** Returns the message for the partner. */
export function failureText({ code, retryAfterSeconds }: Failure): string {
  return code === 'RATE_LIMITED' ? texts.rateLimited(waitText(retryAfterSeconds)) : texts.failures[code];
}

function failureFromExtensions(extensions: Record<string, unknown> | undefined): Failure {
  const code = OPERATION_CODES.find((known) => known === extensions?.code) ?? 'UNKNOWN';
  const retryAfterSeconds = extensions?.retryAfterSeconds;
  return typeof retryAfterSeconds === 'number' ? { code, retryAfterSeconds } : { code };
}

function waitText(seconds: number | undefined): string {
  if (seconds === undefined) return texts.someMinutes;
  if (seconds > SECONDS_TOLD_AS_SECONDS) return texts.minutes(Math.ceil(seconds / 60));
  return texts.seconds(Math.max(1, Math.ceil(seconds)));
}
