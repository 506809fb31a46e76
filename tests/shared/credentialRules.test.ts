import { expect, test } from 'vitest';
import { credentialErrors } from '../../shared/credentialRules.ts';

const WRONG_USERNAME = { username: 'Debes ingresar un correo valido' };
const WRONG_PASSWORD = { password: 'Debes ingresar una contraseña' };

test.each([
  ['six characters of each', 'radio1', '      ', {}],
  ['32 characters of each', 'u'.repeat(32), 'p'.repeat(32), {}],
  ['a username of five', 'fives', 'sixsix', WRONG_USERNAME],
  ['a username of 33', 'u'.repeat(33), 'sixsix', WRONG_USERNAME],
  ['a password of five', 'sixsix', 'fives', WRONG_PASSWORD],
  ['a password of 33', 'sixsix', 'p'.repeat(33), WRONG_PASSWORD],
  ['nothing', '', '', { ...WRONG_USERNAME, ...WRONG_PASSWORD }],
])('%s is judged in the words of the contract', (_what, username, password, errors) => {
  expect(credentialErrors(username, password)).toEqual(errors);
});
