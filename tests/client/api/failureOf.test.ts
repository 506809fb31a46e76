import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { expect, test } from 'vitest';
import { failureOf } from '../../../client/api/failureOf.ts';

test('an answer with an error is told by its code, never by its message', () => {
  const error = new CombinedGraphQLErrors({
    errors: [
      { message: 'Credenciales invalidas', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 30 } },
    ],
  });
  expect(failureOf(error)).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 30 });
});

test('an answer that is no GraphQL is a failure of unknown kind', () => {
  const response = new Response('Bad Gateway', { status: 502 });
  expect(failureOf(new ServerError('Bad Gateway', { response, bodyText: 'Bad Gateway' }))).toEqual({
    code: 'UNKNOWN',
  });
});

test('anything else is no answer', () => {
  expect(failureOf(new TypeError('Failed to fetch'))).toEqual({ code: 'NO_ANSWER' });
});

test('no answer without a network is for want of it; an answer all the same is what it says', () => {
  expect(failureOf(new TypeError('Failed to fetch'), true)).toEqual({ code: 'NO_NETWORK' });
  const error = new CombinedGraphQLErrors({
    errors: [{ message: 'x', extensions: { code: 'PROVIDER_UNAVAILABLE' } }],
  });
  expect(failureOf(error, true)).toEqual({ code: 'PROVIDER_UNAVAILABLE' });
});
