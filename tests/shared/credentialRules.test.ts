import { expect, test } from 'vitest';
import { credentialErrors } from '../../shared/credentialRules.ts';

test('six characters of each may be tried', () => {
  expect(credentialErrors('sixsix', 'sixsix')).toEqual({});
});

test('32 characters of each may be tried', () => {
  expect(credentialErrors('u'.repeat(32), 'p'.repeat(32))).toEqual({});
});

test('a username of five characters or 33 is answered in the words of the contract', () => {
  const errors = { username: 'Debes ingresar un correo valido' };
  expect(credentialErrors('fives', 'sixsix')).toEqual(errors);
  expect(credentialErrors('u'.repeat(33), 'sixsix')).toEqual(errors);
});

test('a password of five characters or 33 is answered in the words of the contract', () => {
  const errors = { password: 'Debes ingresar una contraseña' };
  expect(credentialErrors('sixsix', 'fives')).toEqual(errors);
  expect(credentialErrors('sixsix', 'p'.repeat(33))).toEqual(errors);
});

test('both may be wrong at once', () => {
  expect(Object.keys(credentialErrors('', ''))).toEqual(['username', 'password']);
});

test('a username needs no e-mail pattern and spaces count', () => {
  expect(credentialErrors('radio1', '      ')).toEqual({});
});
