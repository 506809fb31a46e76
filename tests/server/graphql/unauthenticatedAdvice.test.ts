import { expect, test } from 'vitest';
import { unauthenticatedAdvice } from '../../../server/graphql/unauthenticatedAdvice.ts';

const NOTHING = { jwt: null, key: null };
const jwt = (text: string) => ({ jwt: text, key: null });

test.each([
  ['nothing', undefined, NOTHING, 'NO_CREDENTIALS', 'Sign in first, and send "authorization: Bearer <jwt>"'],
  ['the jwt alone', 'a.b.c', NOTHING, 'NO_CREDENTIALS', 'The word Bearer is missing'],
  ['another scheme', 'Token a.b.c', NOTHING, 'NO_CREDENTIALS', 'only Bearer is accepted'],
  ['a colon after Bearer', 'Bearer: a.b.c', NOTHING, 'NO_CREDENTIALS', 'nothing but the jwt after the word'],
  ['a jwt without a session', 'Bearer x', jwt('a.b.c'), 'SESSION_ENDED', 'sign in again'],
  ['a text that is not a jwt', 'Bearer x', jwt('"a.b.c"'), 'NO_CREDENTIALS', 'nothing but the jwt'],
  ['a refused key', 'Bearer x', { jwt: null, key: 'aop_tool_x' }, 'KEY_REFUSED', 'ask the operator'],
])('a caller who sent %s is told why', (_what, authorization, sent, reason, message) => {
  const advice = unauthenticatedAdvice(authorization, sent);
  expect(advice).toEqual({ reason, message: expect.stringContaining(message) });
});
