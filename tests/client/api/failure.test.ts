import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { afterEach, expect, test, vi } from 'vitest';
import { failureOf, failureText } from '../../../client/api/failure.ts';

const refusal = (extensions?: Record<string, unknown>) =>
  new CombinedGraphQLErrors({
    errors: [{ message: 'Credenciales invalidas', ...(extensions && { extensions }) }],
  });

afterEach(() => vi.unstubAllGlobals());

test('a failure is recognised by the error’s code alone', () => {
  expect(failureOf(refusal({ code: 'RATE_LIMITED', retryAfterSeconds: 30 }))).toEqual({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 30,
  });
});

test.each([
  [502, 'UNKNOWN'],
  [429, 'RATE_LIMITED'],
])('an answer with the status %i that is not GraphQL is a failure %s', (status, code) => {
  const response = new Response('x', { status });
  expect(failureOf(new ServerError('x', { response, bodyText: 'x' }))).toEqual({ code });
});

test.each([
  [true, 'NO_ANSWER'],
  [false, 'NO_NETWORK'],
])('a request without an answer while online is %s is a failure %s', (onLine, code) => {
  vi.stubGlobal('navigator', { onLine });
  expect(failureOf(new TypeError('Failed to fetch'))).toEqual({ code });
});

test.each([
  [0.2, '1 segundo'],
  [91, '2 minutos'],
  [undefined, 'unos minutos'],
])('the message about a limit of %s seconds says to wait %s', (retryAfterSeconds, wait) => {
  const failure = failureOf(refusal({ code: 'RATE_LIMITED', retryAfterSeconds }));
  expect(failureText(failure, 'Demasiados intentos.')).toBe(`Demasiados intentos. Inténtalo en ${wait}.`);
});

test.each([[undefined], [{ code: 7 }], [{ code: 'INTERNAL_SERVER_ERROR' }]])(
  'an error with the extensions %j is of an unknown kind',
  (extensions) => {
    const failure = failureOf(refusal(extensions));
    expect(failure).toEqual({ code: 'UNKNOWN' });
    expect(failureText(failure, '')).toContain('Inténtalo de nuevo');
  },
);
