import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startFaultyStream } from '../browser/faultyStream.ts';
import { startSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { launchChromium } from './chromium.ts';
import type { LaunchEngine } from './engineBrowser.ts';
import { launchFirefox } from './firefox.ts';
import { startSoundCard } from './soundCard.ts';
import { launchWebKit } from './webkit.ts';

const MINUTE_MS = 60_000;
/** Of what the browser needs to start, connect or notice a loss. */
const PATIENCE = { timeout: 30_000 };

const ENGINES: Record<string, LaunchEngine> = {
  Chromium: launchChromium,
  Firefox: launchFirefox,
  WebKit: launchWebKit,
};

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
    await partner.sees('URL copiada');
    expect(await partner.pasted()).toBe(site.streamBaseUrl + token);

    await partner.press('Pausar audio');
    await partner.statusBecomes('Audio en pausa');
    await expect.poll(partner.sounds, PATIENCE).toBe(false);
    await expect.poll(stream.listenerCount).toBe(0);

    await partner.press('Cerrar Sesión');
    await partner.sees('iniciar sesión');
    expect(await partner.evaluate('({ ...localStorage })')).not.toHaveProperty('account');
  });

  test('copies the URL of the latest token where the page has no clipboard API', async () => {
    const partner = await newPartner(launch);
    await partner.open(site.url);
    await partner.signIn(ACCOUNT.password);
    await partner.sees(ACCOUNT.company);
    const token = await partner.createToken();
    await partner.evaluate('void Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await partner.press('Copiar URL');
    await partner.sees('URL copiada');
    expect(await partner.pasted()).toBe(site.streamBaseUrl + token);
  });

  test('the player connects, recovers lost sound, plays on after the token expired, and shows a refused token', async () => {
    const partner = await newPartner(launch);
    await partner.open(site.url);
    await partner.signIn(ACCOUNT.password);
    await partner.sees(ACCOUNT.company);
    await partner.createToken();

    stream.conductItself({ kind: 'delays', delayMs: 2_000 });
    await partner.press('Reproducir audio');
    await partner.statusBecomes('Conectando…');
    await partner.statusBecomes('Audio en reproducción');

    stream.conductItself({ kind: 'refuses', status: 503, tellsOtherOrigins: false });
    stream.cut();
    await partner.statusBecomes('Sin audio. Reconectando…');
    stream.conductItself({ kind: 'passes' });
    await partner.statusBecomes('Audio en reproducción');
    await expect.poll(partner.sounds, PATIENCE).toBe(true);

    await partner.evaluate(`void ((read) => { Date.now = () => read() + ${20 * MINUTE_MS}; })(Date.now)`);
    await expect.poll(partner.countdown, PATIENCE).toBe('00:00');
    await expect.poll(partner.token).toBe('Token expirado, Debes crear uno nuevo Token');
    expect(await partner.status()).toBe('Audio en reproducción');
    expect(await partner.sounds()).toBe(true);
    await partner.press('Pausar audio');
    await partner.statusBecomes('Debes generar un Token');

    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
    await partner.press('Reproducir audio');
    await partner.statusBecomes('Audio rechazado');
  });
});

/** Starts an engine with a sound card of its own; both end with the test. */
async function newPartner(launch: LaunchEngine) {
  const soundCard = await startSoundCard();
  onTestFinished(async () => void (await soundCard.close()));
  const browser = await launch(soundCard.env);
  onTestFinished(() => browser.close());

  const textOf = (selector: string) =>
    browser.evaluate<string | null>(`document.querySelector('${selector}')?.textContent`);
  const token = () => browser.evaluate<string>("document.querySelector('textarea')?.value");
  const status = () => textOf('#player-status');
  /** Clicks the button or link of this name as soon as it is there. */
  const press = (name: string) => {
    const named = `[contains(., "${name}") or @aria-label="${name}" or @title="${name}"]`;
    return expect
      .poll(() => browser.click(`(//button${named} | //a${named})[1]`).then(() => true, String))
      .toBe(true);
  };
  return {
    ...browser,
    ...soundCard,
    press,
    token,
    status,
    countdown: () => textOf('[role=timer]'),
    sees: (text: string) => expect.poll(() => textOf('body'), PATIENCE).toContain(text),
    statusBecomes: (text: string) => expect.poll(status, PATIENCE).toBe(text),
    async signIn(password: string) {
      for (const [field, text] of Object.entries({ username: ACCOUNT.username, password })) {
        await expect
          .poll(() => browser.click(`//input[@id="${field}"]`).then(() => true, String), PATIENCE)
          .toBe(true);
        await browser.evaluate('document.activeElement.select()');
        await browser.type(text);
      }
      await press('iniciar sesión');
    },
    async createToken(): Promise<string> {
      const before = await token();
      await press('Crear Token');
      await expect.poll(token, PATIENCE).not.toBe(before);
      return token();
    },
    /** Pastes the clipboard into a field of its own and returns what arrived there. */
    async pasted(): Promise<string> {
      await browser.evaluate(
        "void document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' })) ?? document.getElementById('pasted').focus()",
      );
      await browser.pressCtrl('v');
      const text = () => browser.evaluate<string>("document.getElementById('pasted').value");
      await expect.poll(text).not.toBe('');
      return text();
    },
  };
}
