import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { expect, test } from 'vitest';
import { failureOf, failureText } from '../../../client/api/failure.ts';
import { dashboardTexts } from '../../../client/dashboard/dashboardTexts.ts';
import { texts } from '../../../client/texts.ts';

const TOO_MANY = texts.tooManyAttempts;

const refusal = (extensions?: Record<string, unknown>) =>
  new CombinedGraphQLErrors({
    errors: [{ message: 'Credenciales invalidas', ...(extensions && { extensions }) }],
  });

test('a failure is recognised by the error’s code, never by its message', () => {
  expect(failureOf(refusal({ code: 'RATE_LIMITED', retryAfterSeconds: 30 }))).toEqual({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 30,
  });
});

test('wrong credentials are shown in the words of the contract', () => {
  expect(failureText(failureOf(refusal({ code: 'INVALID_CREDENTIALS' })), TOO_MANY)).toBe(
    'Credenciales invalidas',
  );
});

test('an answer that is not GraphQL is an UNKNOWN failure', () => {
  const response = new Response('Bad Gateway', { status: 502 });
  expect(failureOf(new ServerError('Bad Gateway', { response, bodyText: 'Bad Gateway' }))).toEqual({
    code: 'UNKNOWN',
  });
});

test('a request without an answer is a NO_ANSWER failure, or NO_NETWORK if the browser is offline', () => {
  expect(failureOf(new TypeError('Failed to fetch'))).toEqual({ code: 'NO_ANSWER' });
  expect(failureOf(new TypeError('Failed to fetch'), true)).toEqual({ code: 'NO_NETWORK' });
  expect(failureOf(refusal({ code: 'PROVIDER_UNAVAILABLE' }), true)).toEqual({
    code: 'PROVIDER_UNAVAILABLE',
  });
});

test.each([
  [0.2, '1 segundo'],
  [1, '1 segundo'],
  [2, '2 segundos'],
  [90, '90 segundos'],
  [91, '2 minutos'],
  [120, '2 minutos'],
  [121, '3 minutos'],
  [900, '15 minutos'],
  [undefined, 'unos minutos'],
])(
  'the message about a limit of %s seconds says to wait %s, and names what there were too many of',
  (retryAfterSeconds, wait) => {
    const failure = failureOf(refusal({ code: 'RATE_LIMITED', retryAfterSeconds }));
    expect(failureText(failure, TOO_MANY)).toBe(`Demasiados intentos. Inténtalo de nuevo en ${wait}.`);
    expect(failureText(failure, dashboardTexts.tooMany)).toBe(
      `Demasiados Tokens seguidos. Inténtalo de nuevo en ${wait}.`,
    );
  },
);

test.each(['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER', 'DATABASE_UNAVAILABLE'])(
  'the message about %s says to try again',
  (code) => {
    expect(failureText(failureOf(refusal({ code })), TOO_MANY)).toContain('Inténtalo de nuevo');
  },
);

test.each([[undefined], [{}], [{ code: 7 }], [{ code: 'toString' }], [{ code: 'INTERNAL_SERVER_ERROR' }]])(
  'the message about an unknown error, %j, says to try again',
  (extensions) => {
    expect(failureOf(refusal(extensions))).toEqual({ code: 'UNKNOWN' });
    expect(failureText({ code: 'UNKNOWN' }, TOO_MANY)).toContain('Inténtalo de nuevo');
  },
);
