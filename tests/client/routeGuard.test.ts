import { expect, test } from 'vitest';
import { screenFor } from '../../client/routeGuard.ts';

test.each([
  ['/', 'signedOut', 'login'],
  ['/', 'signedIn', 'dashboard'],
  ['/dashboard', 'signedIn', 'dashboard'],
  ['/dashboard', 'signedOut', 'login'],
  ['/nada', 'signedOut', 'notFound'],
  ['/Dashboard', 'signedIn', 'notFound'],
] as const)('%s while %s shows the screen %s', (path, kind, screen) => {
  expect(screenFor(path, kind)).toBe(screen);
});
