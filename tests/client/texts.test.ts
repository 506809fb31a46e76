import { expect, test } from 'vitest';
import { texts } from '../../client/texts.ts';

test.each([
  [texts.title, 'Audio Oficial Premium'],
  [texts.version, 'v1.1'],
  [texts.login.username, 'Correo electrónico'],
  [texts.login.password, 'Contraseña'],
  [texts.login.required, 'Obligatorio'],
  [texts.login.submit, 'iniciar sesión'],
  [texts.failures.INVALID_CREDENTIALS, 'Credenciales invalidas'],
  [texts.dashboard.needsToken, 'Debes generar un Token'],
  [texts.dashboard.playing, 'Audio en reproducción'],
  [texts.dashboard.paused, 'Audio en pausa'],
  [texts.dashboard.expired, 'Token expirado, Debes crear uno nuevo Token'],
  [texts.dashboard.create, 'Crear Token'],
  [texts.dashboard.signOut, 'Cerrar Sesión'],
])('%s stands as the contract writes it', (text, contract) => {
  expect(text).toBe(contract);
});

test('the three notes are the contract’s', () => {
  expect(texts.dashboard.notes).toEqual([
    'Un token dura 20 minutos.',
    'Un token en reproducción no tiene caducidad.',
    'Los tokens son exclusivos por canal de comunicación.',
  ]);
});

test('the copyright is of 2023', () => {
  expect(texts.copyright).toContain('2023');
});
