import { expect, test } from 'vitest';
import { failureFromExtensions, failureText } from '../../../client/api/failure.ts';

test('wrong credentials are told in the words of the contract', () => {
  expect(failureText(failureFromExtensions({ code: 'INVALID_CREDENTIALS' }))).toBe('Credenciales invalidas');
});

test.each([
  [0.2, '1 segundo'],
  [1, '1 segundo'],
  [42, '42 segundos'],
  [90, '90 segundos'],
  [91, '2 minutos'],
  [3_600, '60 minutos'],
  [undefined, 'unos minutos'],
])('a limit that lasts %s seconds is told as %s', (retryAfterSeconds, wait) => {
  const failure = failureFromExtensions({ code: 'RATE_LIMITED', retryAfterSeconds });
  expect(failureText(failure)).toBe(`Demasiados intentos. Inténtalo de nuevo en ${wait}.`);
});

test.each(['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER', 'DATABASE_UNAVAILABLE'])(
  '%s is told as something to try again',
  (code) => {
    expect(failureText(failureFromExtensions({ code }))).toContain('Inténtalo de nuevo');
  },
);

test.each([[undefined], [{}], [{ code: 7 }], [{ code: 'toString' }], [{ code: 'INTERNAL_SERVER_ERROR' }]])(
  'a failure of unknown kind, %j, is told as something to try again',
  (extensions) => {
    expect(failureFromExtensions(extensions)).toEqual({ code: 'UNKNOWN' });
    expect(failureText({ code: 'UNKNOWN' })).toContain('Inténtalo de nuevo');
  },
);
