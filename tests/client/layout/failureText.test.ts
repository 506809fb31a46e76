import { expect, test } from 'vitest';
import { failureText } from '../../../client/layout/failureText.ts';

test('the wait of a server that is busy is told without blaming the partner', () => {
  const text = failureText({ code: 'BUSY', retryAfterSeconds: 12 }, 'Demasiados intentos.');
  expect(text).toBe('El servidor no puede atenderte ahora. Inténtalo en 12 segundos.');
});

test.each([
  [0.2, '1 segundo'],
  [91, '2 minutos'],
  [undefined, 'unos minutos'],
])('the message about a limit of %s seconds says to wait %s', (retryAfterSeconds, wait) => {
  const text = failureText({ code: 'RATE_LIMITED', retryAfterSeconds }, 'Demasiados intentos.');
  expect(text).toBe(`Demasiados intentos. Inténtalo en ${wait}.`);
});

test('a failure of an unknown kind says that the partner may try again', () => {
  expect(failureText({ code: 'UNKNOWN' }, '')).toContain('Inténtalo de nuevo');
});
