import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { SECOND_MS } from '../../shared/durations.ts';
import { OPERATION_CODES } from '../../shared/errorCodes.ts';
import type { Failure } from '../page/failure.ts';
import { isOffline } from './network.ts';

const BAD_REQUEST = 400;
const CONTENT_TOO_LARGE = 413;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const SERVICE_UNAVAILABLE = 503;
/**
 * Unauthorized, proxy authentication required, network authentication required: our server answers with none of them.
 */
const OTHER_SIGN_INS = [401, 407, 511];
/** The second is nginx's own. */
const HEADER_TOO_LARGE = [431, 494];
/** nginx and others answer a header that is too large with status 400. */
const SAYS_HEADER_TOO_LARGE = /\b(headers?|cookies?)\b[^<]*\b(too (large|long|big)|exceeds)\b/i;
/** Request timeout, bad gateway, unavailable, gateway timeout, and those of a content delivery network. */
const NO_ANSWERS = [408, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530];
/** Caps the wait that a proxy announces: its server may be back at any moment. */
const LONGEST_WAIT_FOR_PROXY_S = 30;
const NOT_UNDERSTOOD = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];
const PERMANENT = ['UNAUTHENTICATED', 'BAD_USER_INPUT', ...NOT_UNDERSTOOD];

export function failureOf(error: unknown): Failure {
  if (CombinedGraphQLErrors.is(error)) return failureFromExtensions(error.errors[0]?.extensions);
  if (ServerError.is(error) || ServerParseError.is(error)) return failureFromForeignResponse(error);
  return { code: isOffline() ? 'NO_NETWORK' : 'NO_ANSWER' };
}

/** Only our own server can make a failure permanent: other answers may come from a proxy or a captive portal. */
export function isTemporary(error: unknown): boolean {
  return !CombinedGraphQLErrors.is(error) || !PERMANENT.includes(codeOf(error.errors[0]?.extensions));
}

export function hasNoCredentials(error: unknown): boolean {
  return CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.reason === 'NO_CREDENTIALS';
}

/** False for a proxy's error page, which comes while the server is down. */
export function isAnswered(error: unknown): boolean {
  return CombinedGraphQLErrors.is(error) || ['RATE_LIMITED', 'BUSY'].includes(failureOf(error).code);
}

type ForeignResponse = Pick<ServerError, 'response' | 'bodyText'>;

function failureFromForeignResponse({ response, bodyText }: ForeignResponse): Failure {
  const { type, status, headers } = response;
  const wait = waitOf(headers);
  if (status === TOO_MANY_REQUESTS) return { code: 'BUSY', ...wait };
  if (status === SERVICE_UNAVAILABLE && wait !== null) return { code: 'BUSY', ...wait };
  if (NO_ANSWERS.includes(status)) return { code: 'NO_ANSWER' };
  const saysHeader = status === BAD_REQUEST && SAYS_HEADER_TOO_LARGE.test(bodyText);
  if (HEADER_TOO_LARGE.includes(status) || saysHeader) return { code: 'TOO_MANY_COOKIES' };
  if (status === CONTENT_TOO_LARGE) return { code: 'TOO_LARGE' };
  const isPage = status < SERVER_ERROR && headers.get('content-type')?.includes('html');
  const isOther = type === 'opaqueredirect' || OTHER_SIGN_INS.includes(status) || isPage;
  return { code: isOther ? 'OTHER_PAGE' : 'UNKNOWN' };
}

/** `Retry-After` is seconds or a date, by the clock of who answers (RFC 9110, 10.2.3). */
function waitOf(headers: Headers): Pick<Failure, 'retryAfterSeconds'> | null {
  const retryAfter = headers.get('retry-after');
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - nowOf(headers)) / SECOND_MS;
  if (Number.isNaN(seconds)) return null;
  return { retryAfterSeconds: Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT_FOR_PROXY_S) };
}

function nowOf(headers: Headers): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}

function failureFromExtensions(extensions: Record<string, unknown> | undefined): Failure {
  if (NOT_UNDERSTOOD.includes(codeOf(extensions))) return { code: 'NEW_VERSION' };
  if (extensions?.reason === 'OTHER_ACCOUNT') return { code: 'OTHER_ACCOUNT' };
  if (extensions?.reason === 'HEADER_TOO_LARGE') return { code: 'TOO_MANY_COOKIES' };
  if (extensions?.code === 'PAYLOAD_TOO_LARGE') return { code: 'TOO_LARGE' };
  const known = OPERATION_CODES.find((one) => one === extensions?.code) ?? 'UNKNOWN';
  const code = known === 'RATE_LIMITED' && extensions?.reason === 'AT_ONCE' ? 'BUSY' : known;
  const retryAfterSeconds = extensions?.retryAfterSeconds;
  return typeof retryAfterSeconds === 'number' ? { code, retryAfterSeconds } : { code };
}

function codeOf(extensions: Record<string, unknown> | undefined): string {
  return String(extensions?.code);
}
