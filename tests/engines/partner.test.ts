import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFaultyStream } from '../browser/faultyStream.ts';
import { startSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { ENGINES, newPartner, PATIENCE } from './enginePartner.ts';

let stream: Awaited<ReturnType<typeof startFaultyStream>>;
let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  stream = await startFaultyStream();
  site = await startSite({ inFrontOfStream: stream.inFrontOf });
});
afterAll(async () => {
  await site.close();
  await stream.close();
});
beforeEach(() => stream.startAfresh());

describe.each(Object.entries(ENGINES))('in %s', (_name, launch) => {
  test('a partner signs in, hears the stream, takes its URL away and signs out', async () => {
    const partner = await newPartner(launch);
    await partner.open(site.url);
    await partner.signIn('otra-cosa');
    await partner.sees('Credenciales invalidas');
    await partner.signIn(ACCOUNT.password);
    await partner.sees(ACCOUNT.company);
    expect(await partner.status()).toBe('Debes generar un Token');

    const token = await partner.createToken();
    await expect.poll(partner.countdown).toMatch(/^19 : 5\d$/);
    const firstReading = await partner.countdown();
    await expect.poll(partner.countdown, PATIENCE).not.toBe(firstReading);

    expect(await partner.sounds()).toBe(false);
    await partner.press('Reproducir audio');
    await partner.statusBecomes('Audio en reproducción');
    await expect.poll(partner.sounds, PATIENCE).toBe(true);

    await partner.press('Copiar URL');
    await partner.sees('Copiada · conéctate antes de las');
    expect(await partner.pasted()).toBe(site.streamBaseUrl + token);

    await partner.press('Pausar audio');
    await partner.statusBecomes('Audio en pausa');
    await expect.poll(partner.sounds, PATIENCE).toBe(false);
    await expect.poll(stream.listenerCount).toBe(0);

    await partner.press('Cerrar Sesión');
    await partner.sees('iniciar sesión');
    expect(await partner.evaluate('({ ...localStorage })')).not.toHaveProperty('account');
  });

  test('a click on the token, its URL or a command selects all of it each time', async () => {
    const partner = await newPartner(launch);
    await partner.arrive(site.url);
    await partner.createToken();
    await partner.click('//summary[.="Usar en tu software de emisión"]');
    const fields = ['//textarea', '//input[@id="url"]', '(//details//input)[1]'];
    for (const field of [...fields, ...fields]) {
      await expect.poll(() => partner.click(field).then(() => true, String)).toBe(true);
      expect(await partner.evaluate(`(${isSelected})(document.activeElement)`), field).toBe(true);
    }
  });
});

function isSelected({ value, selectionStart, selectionEnd }: HTMLInputElement): boolean {
  return value.length > 20 && selectionStart === 0 && selectionEnd === value.length;
}
