import { expect, test } from 'vitest';
import { renewedAccount } from '../../../client/session/renewedAccount.ts';

const OURS = { id: 'a1', company: 'Radio Uno' };

test('a company that the server knows by another name is renewed, id kept, and nothing else of the answer', () => {
  const session = { id: 'a1', company: 'Radio Uno FM', expiry: '2026-11-21T00:00:00.000Z' };
  expect(renewedAccount(OURS, session)).toEqual({ id: 'a1', company: 'Radio Uno FM' });
});

test.each([
  ['the same name', OURS, OURS],
  ['another account', OURS, { id: 'a2', company: 'Otra Radio' }],
  ['no session', OURS, null],
  ['no answer yet', OURS, undefined],
  ['nobody signed in here', null, OURS],
])('nothing is renewed with %s', (_name, ours, session) => {
  expect(renewedAccount(ours, session)).toBeNull();
});
