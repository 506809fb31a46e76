import type { Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Partner } from '../support/partnerSite.ts';
import { type FaultySite, startFaultySite } from './faultyStream.ts';

const MINUTE_MS = 60_000;

let site: FaultySite;
let stream: FaultySite['stream'];
let partner: Partner;

beforeAll(async () => {
  site = await startFaultySite();
  stream = site.stream;
});
afterAll(() => site.close());
beforeEach(async () => {
  stream.startAfresh();
  partner = await site.newPartner();
  await partner.signIn();
});
afterEach(() => partner.context.close());

const notice = (text: string) => partner.page.getByText(text).waitFor();

describe('a stream that is opened', () => {
  test('slow to start is connecting, and playing once it sounds', async () => {
    await partner.createToken();
    stream.conductItself({ kind: 'delays', delayMs: 2_000 });
    await partner.screen.play.click();
    await partner.status('Conectando…');
    expect(await partner.audioSeconds()).toBe(0);
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(stream.opened()).toHaveLength(1);
  });

  test('while our own server does not answer says so, and play starts when it does', async () => {
    const { page, screen } = partner;
    await partner.createToken();
    await page.route('**/graphql', (route) => route.abort());
    await page.reload();
    await screen.play.click();
    await partner.status('Conectando…');
    await notice('El servidor no responde. Reintentando…');
    await notice('La URL se podrá copiar en cuanto responda');
    expect(await screen.copy.isDisabled()).toBe(true);
    await page.unroute('**/graphql');
    await partner.status('Audio en reproducción');
    expect(await screen.copy.isEnabled()).toBe(true);
    expect(await page.getByText('no responde').isVisible()).toBe(false);
  });
});

test('a new token is played and copied at once, though the server has not answered yet where the stream is', async () => {
  const { page, screen } = partner;
  await partner.createToken();
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query Dashboard') ? route.abort() : route.fallback(),
  );
  await page.reload();
  await notice('La URL se podrá copiar en cuanto responda');
  await partner.createToken();
  expect(await screen.copy.isEnabled()).toBe(true);
  expect(await page.getByText('no responde').isVisible()).toBe(false);
  await screen.play.click();
  await partner.status('Audio en reproducción');
});

describe('a stream that does not start', () => {
  test('because nobody answers is opened anew after a quarter of a minute', async () => {
    const { page, screen } = partner;
    await page.clock.install();
    await partner.createToken();
    await page.clock.pauseAt(Date.now() + 1_000);
    stream.conductItself({ kind: 'hangs' });
    await screen.play.click();
    await page.clock.runFor(14_000);
    await partner.status('Conectando…');
    await page.clock.runFor(1_000);
    await partner.status('Reconectando…');
    stream.conductItself({ kind: 'passes' });
    await page.clock.runFor(1_000);
    await partner.status('Audio en reproducción');
  });

  test('because the browser wants a click is paused and says so, and plays with a click', async () => {
    const { page } = partner;
    await partner.createToken();
    // Read by the page itself: whatever Playwright does there counts as an action of the partner.
    await page.addInitScript(() => {
      let clicked = false;
      const watch = setInterval(() => {
        const button = document.querySelector<HTMLButtonElement>('.play:enabled');
        if (button && !clicked) button.click();
        clicked ||= button !== null;
        if (!document.querySelector('.pitch__notice')?.textContent) return;
        clearInterval(watch);
        console.info('noticed');
      });
    });
    const noticed = page.waitForEvent('console', (message) => message.text() === 'noticed');
    await page.reload();
    await noticed;
    await notice('El navegador impidió reproducir el audio. Pulsa el botón otra vez.');
    await partner.status('Audio en pausa');
    expect(stream.asked()).toBe(0);
    await partner.play();
  });
});

describe('a refused stream', () => {
  test('is told as refused at once where the provider says why, and is left in peace', async () => {
    const { page, screen } = partner;
    await page.clock.install();
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
    await screen.play.click();
    await partner.status('Audio rechazado');
    await notice('Token no aceptado');
    expect([stream.opened().length, stream.asked()]).toEqual([1, 2]);
    await page.clock.fastForward(10 * MINUTE_MS);
    expect(stream.asked()).toBe(2);

    stream.conductItself({ kind: 'passes' });
    await partner.createToken();
    await partner.status('Audio en pausa');
    await partner.play();
    await partner.soundAdvances();
  });

  test('is told as refused after four attempts where the provider says nothing', async () => {
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: false });
    await partner.screen.play.click();
    await partner.status('Reconectando…');
    await notice('El proveedor no acepta la conexión. Reintentando…');
    await partner.status('Audio rechazado');
    await notice('Token no aceptado');
    expect(stream.opened()).toHaveLength(4);
    expect(await partner.screen.play.isEnabled()).toBe(true);
  });
});

test('half an hour with the screen off: one connection sounds beyond the expiry, which shows; the button pauses, then is grey', async () => {
  const { page, screen } = partner;
  await page.clock.install();
  await partner.createToken();
  await partner.play();
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    for (const event of ['visibilitychange', 'freeze']) document.dispatchEvent(new Event(event));
  });
  for (let elapsedMs = 0; elapsedMs < 30 * MINUTE_MS; elapsedMs += MINUTE_MS / 2) {
    const before = await partner.audioSeconds();
    await page.clock.fastForward(MINUTE_MS / 2);
    expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
    await page.waitForFunction(
      (seconds) => (document.querySelector('audio')?.currentTime ?? 0) > seconds,
      before,
    );
  }
  expect(await screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
  expect(await screen.countdown.textContent()).toBe('00:00');
  expect(stream.opened()).toHaveLength(1);
  await screen.pause.click();
  await partner.status('Debes generar un Token');
  expect(await screen.play.isDisabled()).toBe(true);
  expect(await screen.createToken.evaluate((button) => button === document.activeElement)).toBe(true);
  await expect.poll(stream.listenerCount).toBe(0);
});

test('the focus on Copiar URL goes to Crear Token when there is nothing left to copy', async () => {
  const { page, screen } = partner;
  await page.clock.install();
  await partner.createToken();
  await screen.copy.focus();
  await page.clock.fastForward(20 * MINUTE_MS);
  await partner.status('Debes generar un Token');
  expect(await screen.createToken.evaluate((button) => button === document.activeElement)).toBe(true);
});

describe('a new token while an expired one plays', () => {
  const failToCreate = (how: (route: Route) => Promise<void>) =>
    partner.page.route('**/graphql', (route) =>
      route.request().postData()?.includes('createToken') ? how(route) : route.continue(),
    );

  beforeEach(async () => {
    await partner.page.clock.install();
    await partner.createToken();
    await partner.play();
    await partner.soundAdvances(2);
    await partner.page.clock.fastForward(20 * MINUTE_MS);
    await expect.poll(() => partner.screen.countdown.textContent()).toBe('00:00');
  });

  test('pauses the sound at once, and lets it sound on over the same connection when it fails', async () => {
    const { page, screen } = partner;
    let fail = () => {};
    const asked = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await failToCreate(async (route) => {
      await asked;
      await route.fulfill({ status: 502, body: 'Bad Gateway' });
    });
    await screen.createToken.click();
    await page.getByText('Creando Token').waitFor();
    expect(await page.evaluate(() => document.querySelector('audio')?.paused)).toBe(true);
    expect(stream.listenerCount()).toBe(1);
    fail();
    await notice('No se pudo completar la operación');
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(stream.opened()).toHaveLength(1);
    expect(stream.listenerCount()).toBe(1);
  });

  test('lets it sound on when the provider fails, and when there is no network', async () => {
    const { page, screen, context } = partner;
    await failToCreate((route) =>
      route.fulfill({
        json: { errors: [{ message: 'x', extensions: { code: 'PROVIDER_UNAVAILABLE' } }] },
      }),
    );
    await screen.createToken.click();
    await notice('El proveedor de audio no responde');
    await partner.status('Audio en reproducción');
    await page.unroute('**/graphql');
    await context.setOffline(true);
    await screen.createToken.click();
    await page.getByText('El proveedor de audio no responde').waitFor({ state: 'hidden' });
    await page.getByText('Creando Token').waitFor({ state: 'hidden' });
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(stream.opened()).toHaveLength(1);
  });

  test('pauses it, and lets go of its connection, when there is one', async () => {
    await partner.createToken();
    await partner.status('Audio en pausa');
    await expect.poll(stream.listenerCount).toBe(0);
    await partner.play();
    expect(stream.opened()).toHaveLength(2);
  });
});

describe('the volume', () => {
  const heard = () =>
    partner.page.evaluate(() => {
      const audio = document.querySelector('audio');
      return audio && [Math.round(audio.volume * 100), audio.muted];
    });

  test('is full at first, set by the keyboard, and remembered beyond reload and sign-out', async () => {
    const { page, screen } = partner;
    expect(await heard()).toEqual([100, false]);
    await screen.volume.focus();
    for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press('ArrowLeft');
    expect(await heard()).toEqual([70, false]);
    await page.reload();
    await screen.volume.waitFor();
    expect(await screen.volume.inputValue()).toBe('70');
    expect(await heard()).toEqual([70, false]);
    await screen.signOut.click();
    await screen.signIn.waitFor();
    expect(await partner.storage()).toEqual({ volume: '70' });
  });

  test('muted is remembered, plays on, and is never shown as not playing', async () => {
    const { page, screen } = partner;
    await partner.createToken();
    await partner.play();
    await screen.mute.focus();
    await page.keyboard.press('Space');
    await screen.unmute.waitFor();
    expect(await heard()).toEqual([100, true]);
    expect(await screen.volume.inputValue()).toBe('0');
    await partner.soundAdvances();
    expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
    await page.getByText('Sonido silenciado').waitFor();
    await page.reload();
    await screen.unmute.click();
    await screen.mute.waitFor();
    expect(await heard()).toEqual([100, false]);
  });
});

describe('the system’s media keys', () => {
  test('show what plays, pause it, and show nothing once it is paused', async () => {
    const { page, screen } = partner;
    await page.addInitScript(() => {
      const keys: Record<string, unknown> = {};
      Object.assign(window, { keys });
      MediaSession.prototype.setActionHandler = (key, act) => {
        keys[key] = act;
      };
    });
    await page.reload();
    const shown = () =>
      page.evaluate(() => {
        const { metadata, playbackState } = navigator.mediaSession;
        return { title: metadata?.title, artist: metadata?.artist, playbackState };
      });
    const press = (key: string) => page.evaluate(`keys.${key}()`);
    await partner.createToken();
    expect(await shown()).toEqual({ playbackState: 'none' });
    await partner.play();
    expect(await shown()).toEqual({
      title: 'Audio Oficial Premium',
      artist: 'Radio Uno',
      playbackState: 'playing',
    });
    await press('pause');
    await screen.play.waitFor();
    await partner.status('Audio en pausa');
    expect(await shown()).toEqual({ playbackState: 'none' });
    await expect.poll(stream.listenerCount).toBe(0);
    await press('play');
    await partner.status('Audio en reproducción');
    await press('stop');
    await partner.status('Audio en pausa');
  });
});

describe('two tabs', () => {
  test('never sound at once: the last to play does, and the other says so', async () => {
    await partner.createToken();
    await partner.play();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    await other.getByRole('button', { name: 'Reproducir audio' }).click();
    await other.getByText('Audio en reproducción').waitFor();
    await partner.status('Audio en pausa');
    await notice('El audio suena en otra pestaña.');
    await expect.poll(stream.listenerCount).toBe(1);

    await partner.createToken();
    await notice('El audio suena en otra pestaña.');
    await expect.poll(stream.listenerCount).toBe(1);

    await other.close();
    await partner.page.getByText('El audio suena en otra pestaña.').waitFor({ state: 'hidden' });
    await partner.play();
  });

  test('both forget that a token was refused once one of them makes another', async () => {
    await partner.createToken();
    const other = await partner.context.newPage();
    await other.goto('/dashboard');
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
    await other.getByRole('button', { name: 'Reproducir audio' }).click();
    await other.getByText('Token no aceptado').waitFor();
    await partner.createToken();
    await other.getByText('Token no aceptado').waitFor({ state: 'hidden' });
    await other.getByText('Audio en pausa').waitFor();
  });
});
