import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { sentCredentials } from '../../../server/graphql/sentCredentials.ts';

const IN_COOKIE = { jwt: 'in-cookie', key: null, client: 'BROWSER' };
const NOTHING = { jwt: null, key: null, client: 'TOOL' };

function credentialsOf(authorization: string | undefined, protocol = 'http') {
  const cookies = { session: 'in-cookie', '__Host-session': 'in-https-cookie' };
  return sentCredentials({ headers: { authorization }, cookies, protocol } as unknown as FastifyRequest);
}

test.each([
  [undefined, IN_COOKIE],
  ['Bearerless', IN_COOKIE],
  ['Bearer a.b.c', { jwt: 'a.b.c', key: null, client: 'TOOL' }],
  ['bearer  a.b.c ', { jwt: 'a.b.c', key: null, client: 'TOOL' }],
  ['Bearer aop_tool_x', { jwt: null, key: 'aop_tool_x', client: 'TOOL' }],
  ['Bearer a b', NOTHING],
  ['Bearer', NOTHING],
])('of a cookie and Authorization %j the server takes %j', (authorization, sent) => {
  expect(credentialsOf(authorization)).toEqual(sent);
});

test('over https only the __Host- cookie counts', () => {
  expect(credentialsOf(undefined, 'https')).toMatchObject({ jwt: 'in-https-cookie' });
});
