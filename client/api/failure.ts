import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { OPERATION_CODES, type OperationCode } from '../../shared/errorCodes.ts';
import { waitTime } from '../../shared/waitTime.ts';
import type { SessionEnd } from '../session/sessionEnd.ts';
import { texts } from '../texts.ts';
import { isOffline } from './offline.ts';

/**
 * Why an operation failed. `NO_ANSWER`: no answer came in time; `NO_NETWORK`: the browser has no network;
 * `NEW_VERSION`: the server does not know the operation, because this page is of an older release.
 */
export type Failure = {
  code: OperationCode | SessionEnd | 'NO_ANSWER' | 'NO_NETWORK' | 'NEW_VERSION' | 'UNKNOWN';
  retryAfterSeconds?: number | undefined;
};

const TOO_MANY_REQUESTS = 429;
const NOT_UNDERSTOOD = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];
const PERMANENT = ['UNAUTHENTICATED', 'BAD_USER_INPUT', ...NOT_UNDERSTOOD];

export function failureOf(error: unknown): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) && error.statusCode === TOO_MANY_REQUESTS) return { code: 'RATE_LIMITED' };
  if (ServerError.is(error) || ServerParseError.is(error)) return { code: 'UNKNOWN' };
  return { code: isOffline() ? 'NO_NETWORK' : 'NO_ANSWER' };
}

/** Only our own server can make a failure permanent: other answers may come from a proxy or a captive portal. */
export function isTemporary(error: unknown): boolean {
  return !CombinedGraphQLErrors.is(error) || !PERMANENT.includes(codeOf(error.errors[0]?.extensions));
}

/** False for a proxy's error page, which comes while the server is down. */
export function isAnswered(error: unknown): boolean {
  return CombinedGraphQLErrors.is(error) || failureOf(error).code === 'RATE_LIMITED';
}

export function failureText({ code, retryAfterSeconds }: Failure, tooMany: string): string {
  if (code !== 'RATE_LIMITED') return texts.failures[code];
  return `${tooMany} ${texts.retryIn(waitText(retryAfterSeconds))}`;
}

function failureFromExtensions(extensions: Record<string, unknown> | undefined): Failure {
  if (NOT_UNDERSTOOD.includes(codeOf(extensions))) return { code: 'NEW_VERSION' };
  if (extensions?.reason === 'OTHER_ACCOUNT') return { code: 'OTHER_ACCOUNT' };
  const code = OPERATION_CODES.find((known) => known === extensions?.code) ?? 'UNKNOWN';
  const retryAfterSeconds = extensions?.retryAfterSeconds;
  return typeof retryAfterSeconds === 'number' ? { code, retryAfterSeconds } : { code };
}

function codeOf(extensions: Record<string, unknown> | undefined): string {
  return String(extensions?.code);
}

function waitText(seconds: number | undefined): string {
  if (seconds === undefined) return texts.someMinutes;
  const { count, unit } = waitTime(seconds);
  return unit === 'second' ? texts.seconds(count) : texts.minutes(count);
}
