import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failureOf } from '../../../client/api/failureOfResponse.ts';
import type { Failure } from '../../../client/page/failure.ts';

const refusal = (extensions?: Record<string, unknown>) =>
  new CombinedGraphQLErrors({
    errors: [{ message: 'Credenciales invalidas', ...(extensions && { extensions }) }],
  });

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 25, 10), toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a failure is recognised by the error’s code alone', () => {
  expect(failureOf(refusal({ code: 'RATE_LIMITED', retryAfterSeconds: 30 }))).toEqual({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 30,
  });
});

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const WAIT = { 'retry-after': '12' };
const LONG_WAIT = { 'retry-after': '3600' };

test.each<[status: number, headers: Record<string, string>, failure: Failure]>([
  [500, HTML, { code: 'UNKNOWN' }],
  [502, HTML, { code: 'NO_ANSWER' }],
  [504, {}, { code: 'NO_ANSWER' }],
  [522, HTML, { code: 'NO_ANSWER' }],
  [400, HTML, { code: 'OTHER_PAGE' }],
  [404, HTML, { code: 'OTHER_PAGE' }],
  [413, HTML, { code: 'TOO_LARGE' }],
  [431, HTML, { code: 'TOO_MANY_COOKIES' }],
  [494, HTML, { code: 'TOO_MANY_COOKIES' }],
  [403, {}, { code: 'UNKNOWN' }],
  [401, HTML, { code: 'OTHER_PAGE' }],
  [401, { 'content-type': 'application/json' }, { code: 'OTHER_PAGE' }],
  [407, {}, { code: 'OTHER_PAGE' }],
  [511, {}, { code: 'OTHER_PAGE' }],
  [503, LONG_WAIT, { code: 'BUSY', retryAfterSeconds: 30 }],
  [403, HTML, { code: 'OTHER_PAGE' }],
  [429, HTML, { code: 'BUSY' }],
  [429, WAIT, { code: 'BUSY', retryAfterSeconds: 12 }],
  [503, HTML, { code: 'NO_ANSWER' }],
  [503, WAIT, { code: 'BUSY', retryAfterSeconds: 12 }],
  [503, { 'retry-after': 'tomorrow' }, { code: 'NO_ANSWER' }],
  [
    503,
    { 'retry-after': 'Wed, 25 Nov 2026 10:00:09 GMT', date: 'Wed, 25 Nov 2026 10:00:00 GMT' },
    { code: 'BUSY', retryAfterSeconds: 9 },
  ],
  [503, { 'retry-after': 'Wed, 25 Nov 2026 10:00:09 GMT' }, { code: 'BUSY', retryAfterSeconds: 9 }],
])('an answer %i with %j that is not GraphQL is the failure %j', (status, headers, failure) => {
  const response = new Response('x', { status, headers });
  expect(failureOf(new ServerError('x', { response, bodyText: 'x' }))).toEqual(failure);
});

test.each(['400 Request Header Or Cookie Too Large', 'Size of a request header field exceeds server limit.'])(
  'status 400 with “%s” names the cookies',
  (bodyText) => {
    const response = new Response(bodyText, { status: 400, headers: HTML });
    expect(failureOf(new ServerError('x', { response, bodyText }))).toEqual({ code: 'TOO_MANY_COOKIES' });
  },
);

test.each([
  [{ code: 'BAD_REQUEST', reason: 'HEADER_TOO_LARGE' }, 'TOO_MANY_COOKIES'],
  [{ code: 'PAYLOAD_TOO_LARGE' }, 'TOO_LARGE'],
])('the refusal %j of our own nginx is the failure %s', (extensions, code) => {
  expect(failureOf(refusal(extensions))).toEqual({ code });
});

test('a web page instead of GraphQL is the failure of another page', () => {
  const response = new Response('<html></html>', { headers: HTML });
  const options = { response, bodyText: '<html></html>' };
  expect(failureOf(new ServerParseError(new SyntaxError('x'), options))).toEqual({ code: 'OTHER_PAGE' });
});

test('a limit of what is under way at this moment accuses nobody', () => {
  const failure = failureOf(refusal({ code: 'RATE_LIMITED', reason: 'AT_ONCE', retryAfterSeconds: 1 }));
  expect(failure).toEqual({ code: 'BUSY', retryAfterSeconds: 1 });
});

test.each([
  [true, 'NO_ANSWER'],
  [false, 'NO_NETWORK'],
])('a request without an answer while online is %s is a failure %s', (onLine, code) => {
  vi.stubGlobal('navigator', { onLine });
  expect(failureOf(new TypeError('Failed to fetch'))).toEqual({ code });
});

test.each([[undefined], [{ code: 7 }], [{ code: 'INTERNAL_SERVER_ERROR' }]])(
  'an error with the extensions %j is of an unknown kind',
  (extensions) => {
    expect(failureOf(refusal(extensions))).toEqual({ code: 'UNKNOWN' });
  },
);
