import { expect, test } from 'vitest';
import { routeFor } from '../../client/routeGuard.ts';

const account = { id: 'a1', company: 'Radio Demo' };

test.each([
  ['/', null, { screen: 'login' }],
  ['/', account, { redirectTo: '/dashboard' }],
  ['/dashboard', account, { screen: 'dashboard', account }],
  ['/dashboard', null, { redirectTo: '/' }],
  ['/nada', null, { screen: 'notFound' }],
  ['/Dashboard', account, { screen: 'notFound' }],
])('%s with the account %j leads to %j', (path, signedIn, route) => {
  expect(routeFor(path, signedIn)).toEqual(route);
});
