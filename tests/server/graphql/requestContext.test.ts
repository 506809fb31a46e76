import { expect, test } from 'vitest';
import { sentCredentials, unauthenticatedAdvice } from '../../../server/graphql/requestContext.ts';

const IN_COOKIE = { jwt: 'in-cookie', key: null, client: 'BROWSER' };
const EMPTY_BEARER = { jwt: null, key: null, client: 'TOOL' };

test.each([
  [undefined, IN_COOKIE],
  ['Bearerless', IN_COOKIE],
  ['Bearer a.b.c', { jwt: 'a.b.c', key: null, client: 'TOOL' }],
  ['bearer  a.b.c ', { jwt: 'a.b.c', key: null, client: 'TOOL' }],
  ['Bearer aop_tool_x', { jwt: null, key: 'aop_tool_x', client: 'TOOL' }],
  ['Bearer a b', EMPTY_BEARER],
  ['Bearer', EMPTY_BEARER],
])('of a cookie and Authorization %j the server takes %j', (authorization, sent) => {
  expect(sentCredentials(authorization, 'in-cookie')).toEqual(sent);
});

const NOTHING = { jwt: null, key: null };
const WHOLE = 'x'.repeat(43);
const key = (text: string) => ({ jwt: null, key: text });
const jwt = (text: string) => ({ jwt: text, key: null });

test.each([
  ['nothing', undefined, NOTHING, 'NO_CREDENTIALS', 'Sign in first, and send "authorization: Bearer <jwt>"'],
  ['the jwt alone', 'a.b.c', NOTHING, 'NO_CREDENTIALS', 'The word Bearer is missing'],
  ['another scheme', 'Token a.b.c', NOTHING, 'NO_CREDENTIALS', 'only Bearer is accepted'],
  ['a colon after Bearer', 'Bearer: a.b.c', NOTHING, 'NO_CREDENTIALS', 'nothing but the jwt after the word'],
  ['a jwt without a session', 'Bearer x', jwt('a.b.c'), 'SESSION_ENDED', 'sign in again'],
  ['a text that is not a jwt', 'Bearer x', jwt('"a.b.c"'), 'NO_CREDENTIALS', 'nothing but the jwt'],
  ['a refused key', 'Bearer x', key(`aop_tool_${WHOLE}`), 'KEY_REFUSED', 'ask the operator'],
  ["a player's key", 'Bearer x', key(`aop_live_${WHOLE}`), 'KEY_REFUSED', "a player's key"],
  ['a key that is cut off', 'Bearer x', key('aop_tool_x'), 'KEY_REFUSED', 'has 1 characters after aop_tool_'],
  ['a key of another spelling', 'Bearer x', key(`aop_TOOL_${WHOLE}`), 'KEY_REFUSED', 'begins with aop_tool_'],
])('a caller who sent %s is told why', (_what, authorization, sent, reason, message) => {
  const advice = unauthenticatedAdvice(authorization, sent);
  expect(advice).toEqual({ reason, message: expect.stringContaining(message) });
});
