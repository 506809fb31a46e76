import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { OPERATION_CODES, type OperationCode } from '../../shared/errorCodes.ts';
import { waitTime } from '../../shared/waitTime.ts';
import type { SessionEnd } from '../page/sessionEnd.ts';
import { texts } from '../texts.ts';
import { isOffline } from './offline.ts';

/**
 * Why an operation failed. `NO_ANSWER`: no answer came in time; `NO_NETWORK`: the browser has no network;
 * `NEW_VERSION`: the server does not know the operation, because this page is of an older release; `OTHER_PAGE`: a web
 * page or a redirect answered, as from a gateway whose own sign-in has ended; `BUSY`: server or proxy has too much to do at
 * this moment, and says when to ask again. `RATE_LIMITED`: the partner used up what a period allows.
 */
export type Failure = {
  code: OperationCode | SessionEnd | OwnCode;
  retryAfterSeconds?: number | undefined;
};

type OwnCode = 'NO_ANSWER' | 'NO_NETWORK' | 'NEW_VERSION' | 'OTHER_PAGE' | 'BUSY' | 'UNKNOWN';

const OK = 200;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;
/**
 * Unauthorized, proxy authentication required, network authentication required: our server answers with none of them.
 */
const OTHER_SIGN_INS = [401, 407, 511];
/** Caps the wait that a proxy announces: its server may be back at any moment. */
const LONGEST_WAIT_FOR_PROXY_S = 30;
const NOT_UNDERSTOOD = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];
const PERMANENT = ['UNAUTHENTICATED', 'BAD_USER_INPUT', ...NOT_UNDERSTOOD];

export function failureOf(error: unknown): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) || ServerParseError.is(error)) return failureFromForeignResponse(error.response);
  return { code: isOffline() ? 'NO_NETWORK' : 'NO_ANSWER' };
}

/** Only our own server can make a failure permanent: other answers may come from a proxy or a captive portal. */
export function isTemporary(error: unknown): boolean {
  return !CombinedGraphQLErrors.is(error) || !PERMANENT.includes(codeOf(error.errors[0]?.extensions));
}

/** False for a proxy's error page, which comes while the server is down. */
export function isAnswered(error: unknown): boolean {
  return CombinedGraphQLErrors.is(error) || ['RATE_LIMITED', 'BUSY'].includes(failureOf(error).code);
}

export function failureText({ code, retryAfterSeconds }: Failure, tooMany: string): string {
  if (code !== 'RATE_LIMITED' && code !== 'BUSY') return texts.failures[code];
  const reason = code === 'BUSY' ? texts.failures.BUSY : tooMany;
  return `${reason} ${texts.retryIn(waitText(retryAfterSeconds))}`;
}

function failureFromForeignResponse({ type, status, headers }: Response): Failure {
  const wait = waitOf(headers.get('retry-after'));
  if (status === TOO_MANY_REQUESTS) return { code: 'BUSY', ...wait };
  if (status === SERVICE_UNAVAILABLE && wait !== null) return { code: 'BUSY', ...wait };
  const isPage = [OK, FORBIDDEN].includes(status) && headers.get('content-type')?.includes('text/html');
  const isOther = type === 'opaqueredirect' || OTHER_SIGN_INS.includes(status) || isPage;
  return { code: isOther ? 'OTHER_PAGE' : 'UNKNOWN' };
}

function waitOf(retryAfter: string | null): Pick<Failure, 'retryAfterSeconds'> | null {
  if (retryAfter === null || !/^[1-9]\d*$/.test(retryAfter)) return null;
  return { retryAfterSeconds: Math.min(Number(retryAfter), LONGEST_WAIT_FOR_PROXY_S) };
}

function failureFromExtensions(extensions: Record<string, unknown> | undefined): Failure {
  if (NOT_UNDERSTOOD.includes(codeOf(extensions))) return { code: 'NEW_VERSION' };
  if (extensions?.reason === 'OTHER_ACCOUNT') return { code: 'OTHER_ACCOUNT' };
  const known = OPERATION_CODES.find((one) => one === extensions?.code) ?? 'UNKNOWN';
  const code = known === 'RATE_LIMITED' && extensions?.reason === 'AT_ONCE' ? 'BUSY' : known;
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
