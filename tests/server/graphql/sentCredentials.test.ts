import { expect, test } from 'vitest';
import { sentCredentials } from '../../../server/graphql/sentCredentials.ts';

const IN_COOKIE = { jwt: 'in-cookie', key: null, client: 'BROWSER' };
const NOTHING = { jwt: null, key: null, client: 'TOOL' };

test.each([
  [undefined, IN_COOKIE],
  ['Bearerless', IN_COOKIE],
  ['Bearer a.b.c', { jwt: 'a.b.c', key: null, client: 'TOOL' }],
  ['bearer  a.b.c ', { jwt: 'a.b.c', key: null, client: 'TOOL' }],
  ['Bearer aop_tool_x', { jwt: null, key: 'aop_tool_x', client: 'TOOL' }],
  ['Bearer a b', NOTHING],
  ['Bearer', NOTHING],
])('of a cookie and Authorization %j the server takes %j', (authorization, sent) => {
  expect(sentCredentials(authorization, 'in-cookie')).toEqual(sent);
});
