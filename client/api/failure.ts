import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { OPERATION_CODES, type OperationCode } from '../../shared/operationCodes.ts';
import { waitTime } from '../../shared/waitTime.ts';
import type { SessionEnd } from '../session/sessionEnd.ts';
import { texts } from '../texts.ts';

/** Why an operation failed. `NO_ANSWER`: the server was not reached in time; `NO_NETWORK`: the browser knows of no network. */
export type Failure = {
  code: OperationCode | SessionEnd | 'NO_ANSWER' | 'NO_NETWORK' | 'UNKNOWN';
  retryAfterSeconds?: number | undefined;
};

/** Returns the failure that an error of the Apollo Client stands for; never decided by a message. */
export function failureOf(error: unknown, offline = false): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) || ServerParseError.is(error)) return { code: 'UNKNOWN' };
  return { code: offline ? 'NO_NETWORK' : 'NO_ANSWER' };
}

/**
 * Returns the message for the partner.
 * @param tooMany - the start of the message after `RATE_LIMITED`, such as “Demasiados intentos.”
 */
export function failureText({ code, retryAfterSeconds }: Failure, tooMany: string): string {
  if (code !== 'RATE_LIMITED') return texts.failures[code];
  return `${tooMany} ${texts.retryIn(waitText(retryAfterSeconds))}`;
}

function failureFromExtensions(extensions: Record<string, unknown> | undefined): Failure {
  const code = OPERATION_CODES.find((known) => known === extensions?.code) ?? 'UNKNOWN';
  const retryAfterSeconds = extensions?.retryAfterSeconds;
  return typeof retryAfterSeconds === 'number' ? { code, retryAfterSeconds } : { code };
}

function waitText(seconds: number | undefined): string {
  if (seconds === undefined) return texts.someMinutes;
  const { count, unit } = waitTime(seconds);
  return unit === 'second' ? texts.seconds(count) : texts.minutes(count);
}
