import { expect, test } from 'vitest';
import { routeFor } from '../../client/routes.ts';

const account = { id: 'a1', company: 'Radio Demo' };

test('/ shows the login screen when signed out', () => {
  expect(routeFor('/', null)).toEqual({ screen: 'login' });
});

test('/ goes on to /dashboard when signed in', () => {
  expect(routeFor('/', account)).toEqual({ redirectTo: '/dashboard' });
});

test('/dashboard shows the account’s dashboard when signed in', () => {
  expect(routeFor('/dashboard', account)).toEqual({ screen: 'dashboard', account });
});

test('/dashboard goes to / when signed out', () => {
  expect(routeFor('/dashboard', null)).toEqual({ redirectTo: '/' });
});

test('/dashboard/ goes on to /dashboard, signed in or not', () => {
  expect(routeFor('/dashboard/', null)).toEqual({ redirectTo: '/dashboard' });
  expect(routeFor('/dashboard/', account)).toEqual({ redirectTo: '/dashboard' });
});

test.each(['/nada', '/Dashboard', '/dashboard/x', '/index.html', '//', '/dashboard//'])(
  '%s is not found, signed in or not',
  (path) => {
    expect(routeFor(path, null)).toEqual({ screen: 'notFound' });
    expect(routeFor(path, account)).toEqual({ screen: 'notFound' });
  },
);
