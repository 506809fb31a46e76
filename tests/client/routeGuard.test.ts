import { expect, test } from 'vitest';
import { screenFor } from '../../client/routeGuard.ts';

const account = { id: 'a1', company: 'Radio Demo' };

test.each([
  ['/', null, 'login'],
  ['/', account, 'dashboard'],
  ['/dashboard', account, 'dashboard'],
  ['/dashboard', null, 'login'],
  ['/nada', null, 'notFound'],
  ['/Dashboard', account, 'notFound'],
])('%s with the account %j shows the screen %s', (path, signedIn, screen) => {
  expect(screenFor(path, signedIn)).toBe(screen);
});
