import { expect, test } from 'vitest';
import { dashboardTexts } from '../../client/dashboard/dashboardTexts.ts';
import { texts } from '../../client/texts.ts';

test.each([
  [texts.title, 'Audio Oficial Premium'],
  [texts.version, 'v1.1'],
  [texts.copyright, '© 2023 Audio Oficial Premium'],
  [texts.login.username, 'Correo electrónico'],
  [texts.login.password, 'Contraseña'],
  [texts.login.required, 'Obligatorio'],
  [texts.login.submit, 'iniciar sesión'],
  [texts.failures.INVALID_CREDENTIALS, 'Credenciales invalidas'],
  [dashboardTexts.playerStatus.needsToken, 'Debes generar un Token'],
  [dashboardTexts.playerStatus.playing, 'Audio en reproducción'],
  [dashboardTexts.playerStatus.paused, 'Audio en pausa'],
  [dashboardTexts.expired, 'Token expirado, Debes crear uno nuevo Token'],
  [dashboardTexts.create, 'Crear Token'],
  [dashboardTexts.signOut, 'Cerrar Sesión'],
  [dashboardTexts.notes[0], 'Un token dura 20 minutos.'],
  [dashboardTexts.notes[1], 'Un token en reproducción no tiene caducidad.'],
  [dashboardTexts.notes[2], 'Los tokens son exclusivos por canal de comunicación.'],
])('the text %s is written exactly as in the contract', (text, contract) => {
  expect(text).toBe(contract);
});
