import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './faultyStream.ts';

const MINUTE_MS = 60_000;

test.beforeEach(async ({ stream, partner }) => {
  stream.startAfresh();
  await partner.signIn();
});

test('a play waits until our server answers, and says so', async ({ partner, page, screen }) => {
  await partner.createToken();
  await page.route('**/graphql', (route) => route.abort());
  await page.reload();
  await screen.play.click();
  await partner.status('Conectando…');
  await partner.sees('El servidor no responde. Reintentando…');
  await partner.sees('Se podrá copiar en cuanto responda');
  expect(await screen.copy.isDisabled()).toBe(true);
  await page.unroute('**/graphql');
  await partner.status('Audio en reproducción');
  expect(await screen.copy.isEnabled()).toBe(true);
  expect(await page.getByText('no responde').isVisible()).toBe(false);
});

test('sound that the browser blocks stays paused until a click', async ({ stream, partner, page }) => {
  await partner.createToken();
  // The page presses its own button: all that Playwright does there, looking included, counts as the partner's click.
  await page.addInitScript(() => {
    const watch = setInterval(() => {
      const button = document.querySelector<HTMLButtonElement>('.play:enabled');
      if (!button) return;
      clearInterval(watch);
      new MutationObserver(() => {
        if (document.querySelector('.pitch__notice')?.textContent) console.info('noticed');
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
      button.click();
    });
  });
  const noticed = page.waitForEvent('console', (message) => message.text() === 'noticed');
  await page.reload();
  await noticed;
  await partner.sees('El navegador impidió el audio. Pulsa el botón otra vez.');
  await partner.status('Audio en pausa');
  expect(stream.asked()).toBe(0);
  await partner.play();
  await partner.soundAdvances();
});

describe('a refused token', () => {
  test('is told at once, is not praised, and makes way for the next one', async ({
    stream,
    partner,
    page,
    screen,
  }) => {
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
    await screen.play.click();
    await partner.status('Audio rechazado');
    await partner.sees('Quizá el Token expiró');
    expect(await filled(page)).toEqual(['Crear Token']);
    for (const praise of [/^Conéctate antes de/, /^Token creado a las/])
      expect(await page.getByText(praise).count()).toBe(0);
    expect([stream.opened().length, stream.asked()]).toEqual([1, 2]);
    stream.conductItself({ kind: 'passes' });
    await partner.createToken();
    await partner.status('Audio en pausa');
    await partner.play();
  });

  test('is a likely one where the page cannot read the provider’s answer', async ({ stream, partner }) => {
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: false });
    await partner.screen.play.click();
    await partner.status('Reconectando…');
    await partner.sees('El proveedor no acepta la conexión.');
  });
});

describe('sound that outlives its token', () => {
  test.beforeEach(async ({ partner, page, screen }) => {
    await page.clock.install();
    await partner.createToken();
    await partner.play();
    // A hidden page, as in a studio that works in another window.
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      for (const event of ['visibilitychange', 'freeze']) document.dispatchEvent(new Event(event));
    });
    await page.clock.fastForward(20 * MINUTE_MS);
    await expect.poll(() => screen.countdown.textContent()).toBe('00:00');
  });

  test('plays on over the same connection until the partner pauses', async ({
    stream,
    partner,
    page,
    screen,
  }) => {
    await page.clock.fastForward(10 * MINUTE_MS);
    await partner.soundAdvances();
    expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
    expect(await screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
    await partner.sees('El audio continúa: la conexión abierta no caduca.');
    expect(await screen.createToken.getAttribute('class')).toContain('button--secondary');
    expect(await page.locator('.clock').getAttribute('class')).toContain('clock--outlived');
    expect(stream.opened()).toHaveLength(1);
    await screen.pause.click();
    await partner.status('Debes generar un Token');
    expect(await screen.play.isDisabled()).toBe(true);
    expect(await screen.tokenHeading.evaluate((heading) => heading === document.activeElement)).toBe(true);
    await expect.poll(stream.listenerCount).toBe(0);
  });

  test('pauses during a creation, and goes on if that fails', async ({ stream, partner, page, screen }) => {
    let fail = () => {};
    const asked = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/graphql', async (route) => {
      await asked;
      await route.fulfill({ status: 502, body: 'Bad Gateway' });
    });
    await screen.createToken.click();
    await partner.sees('Creando Token');
    expect(await page.evaluate(() => document.querySelector('audio')?.paused)).toBe(true);
    fail();
    await partner.sees('No se pudo completar la operación');
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(stream.opened()).toHaveLength(1);
    expect(stream.listenerCount()).toBe(1);
  });
});

test('a creation that interrupts the sound closes its connection and focuses play', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await partner.createToken();
  await partner.play();
  expect(await filled(page)).toEqual(['Copiar URL']);
  await partner.createToken();
  await partner.status('Audio en pausa');
  await expect.poll(stream.listenerCount).toBe(0);
  expect(await filled(page)).toEqual(['Reproducir audio']);
  expect(await screen.play.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await partner.status('Audio en reproducción');
  expect(stream.opened()).toHaveLength(2);
});

/** Returns the texts of the filled buttons; that of the player stands for its state, unless it is the next to press. */
function filled(page: Page): Promise<Array<string | null>> {
  return page
    .locator('.button--primary, .play--next')
    .evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? button.textContent));
}

test('the volume and the mute button are kept over a reload, and by a sign-out', async ({
  partner,
  page,
  screen,
}) => {
  const heard = () =>
    page.evaluate(() => {
      const audio = document.querySelector('audio');
      return audio && [Math.round(audio.volume * 100), audio.muted];
    });
  await screen.volume.focus();
  for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press('ArrowLeft');
  await screen.mute.click();
  await page.reload();
  await screen.unmute.waitFor();
  expect(await heard()).toEqual([70, true]);
  await screen.unmute.click();
  expect(await heard()).toEqual([70, false]);
  await screen.signOut.click();
  await screen.signIn.waitFor();
  await expect.poll(partner.storage).toEqual({ volume: '70' });
});

test('the system’s media keys pause and play, and show what plays', async ({ partner, page, screen }) => {
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
      return [metadata?.title, metadata?.artist, playbackState];
    });
  const press = (key: string) => page.evaluate(`keys.${key}()`);
  await partner.createToken();
  await partner.play();
  expect(await shown()).toEqual(['Audio Oficial Premium', 'Radio Uno', 'playing']);
  await press('pause');
  await screen.play.waitFor();
  await partner.status('Audio en pausa');
  expect(await shown()).toEqual([undefined, undefined, 'none']);
  await press('play');
  await partner.status('Audio en reproducción');
  await press('stop');
  await partner.status('Audio en pausa');
});

test('two tabs never play at the same time', async ({ stream, partner }) => {
  await partner.createToken();
  await partner.play();
  const other = await partner.context.newPage();
  await other.goto('/dashboard');
  await other.getByRole('button', { name: 'Reproducir audio' }).click();
  await other.getByText('Audio en reproducción').waitFor();
  await partner.status('Audio en pausa');
  await partner.sees('El audio suena en otra pestaña.');
  await expect.poll(stream.listenerCount).toBe(1);
  await other.close();
  await partner.page.getByText('El audio suena en otra pestaña.').waitFor({ state: 'hidden' });
  await partner.play();
});
