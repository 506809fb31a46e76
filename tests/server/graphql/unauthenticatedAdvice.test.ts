import { expect, test } from 'vitest';
import { unauthenticatedAdvice } from '../../../server/graphql/unauthenticatedAdvice.ts';

test.each([
  ['nothing', undefined, 'Sign in first, and send "authorization: Bearer <jwt>"'],
  ['the jwt alone', 'a.b.c', 'The word Bearer is missing'],
  ['another scheme', 'Token a.b.c', 'only Bearer is accepted'],
  ['a colon after Bearer', 'Bearer: a.b.c', 'nothing but the jwt after the word Bearer'],
])('%s in the header has no credentials', (_what, authorization, message) => {
  expect(unauthenticatedAdvice(authorization, { jwt: null, key: null })).toEqual({
    reason: 'NO_CREDENTIALS',
    message: expect.stringContaining(message),
  });
});

test.each([
  ['a jwt', { jwt: 'a.b.c', key: null }, 'SESSION_ENDED', 'sign in again'],
  ['a text that is not a jwt', { jwt: '"a.b.c"', key: null }, 'NO_CREDENTIALS', 'nothing but the jwt'],
  ['a key', { jwt: null, key: 'aop_tool_x' }, 'KEY_REFUSED', 'or its account has ended: ask the operator'],
])('%s without a session is told why', (_what, sent, reason, message) => {
  expect(unauthenticatedAdvice('Bearer x', sent)).toEqual({
    reason,
    message: expect.stringContaining(message),
  });
});
