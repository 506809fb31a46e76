import { expect, test } from 'vitest';
import { dashboardTexts } from '../../client/dashboard/dashboardTexts.ts';
import { texts } from '../../client/texts.ts';

test.each([
  [texts.title, 'Audio Oficial Premium'],
  [texts.version, 'v1.1'],
  [texts.login.username, 'Correo electrónico'],
  [texts.login.password, 'Contraseña'],
  [texts.login.required, 'Obligatorio'],
  [texts.login.submit, 'iniciar sesión'],
  [texts.failures.INVALID_CREDENTIALS, 'Credenciales invalidas'],
  [dashboardTexts.needsToken, 'Debes generar un Token'],
  [dashboardTexts.playing, 'Audio en reproducción'],
  [dashboardTexts.paused, 'Audio en pausa'],
  [dashboardTexts.expired, 'Token expirado, Debes crear uno nuevo Token'],
  [dashboardTexts.create, 'Crear Token'],
  [dashboardTexts.signOut, 'Cerrar Sesión'],
])('%s stands as the contract writes it', (text, contract) => {
  expect(text).toBe(contract);
});

test('the three notes are the contract’s', () => {
  expect(dashboardTexts.notes).toEqual([
    'Un token dura 20 minutos.',
    'Un token en reproducción no tiene caducidad.',
    'Los tokens son exclusivos por canal de comunicación.',
  ]);
});

test('the copyright is of 2023', () => {
  expect(texts.copyright).toContain('2023');
});
