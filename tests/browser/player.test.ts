import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './faultyStream.ts';

const MINUTE_MS = 60_000;

test.beforeEach(async ({ stream, partner }) => {
  stream.startAfresh();
  await partner.signIn();
});

describe('opening the stream', () => {
  test('shows the status as connecting until there is sound', async ({ stream, partner }) => {
    await partner.createToken();
    stream.conductItself({ kind: 'delays', delayMs: 2_000 });
    await partner.screen.play.click();
    await partner.status('Conectando…');
    expect(await partner.audioSeconds()).toBe(0);
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(stream.opened()).toHaveLength(1);
  });

  test('waits until our server answers, and says so', async ({ partner, page, screen }) => {
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
});

test('when the browser blocks sound before a click, the audio stays paused, the page says so, and a click plays it', async ({
  stream,
  partner,
  page,
}) => {
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
  test('is shown at once as refused where the provider lets the page read its answer', async ({
    stream,
    partner,
    page,
    screen,
  }) => {
    await page.clock.install();
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
    await screen.play.click();
    await partner.status('Audio rechazado');
    await partner.sees('Quizá el Token expiró');
    expect(await filled(page)).toEqual(['Crear Token']);
    for (const praise of [/^Conéctate antes de/, /^Token creado a las/])
      expect(await page.getByText(praise).count()).toBe(0);
    await screen.copy.click();
    await partner.sees('Copiada, pero el proveedor rechaza este Token.');
    expect([stream.opened().length, stream.asked()]).toEqual([1, 2]);
    await page.clock.fastForward(10 * MINUTE_MS);
    expect(stream.asked()).toBe(2);

    stream.conductItself({ kind: 'passes' });
    await partner.createToken();
    await partner.status('Audio en pausa');
    await partner.play();
    await partner.soundAdvances();
  });

  test('is shown as a likely refusal where the page cannot read the provider’s answer', async ({
    stream,
    partner,
  }) => {
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: false });
    await partner.screen.play.click();
    await partner.status('Reconectando…');
    await partner.sees('El proveedor no acepta la conexión.');
  });
});

test('a hidden page plays on after its token expired, over the same connection', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await page.clock.install();
  await partner.createToken();
  await partner.play();
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    for (const event of ['visibilitychange', 'freeze']) document.dispatchEvent(new Event(event));
  });
  for (let elapsedMs = 0; elapsedMs < 30 * MINUTE_MS; elapsedMs += 2 * MINUTE_MS) {
    const before = await partner.audioSeconds();
    await page.clock.fastForward(2 * MINUTE_MS);
    expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
    await page.waitForFunction(
      (seconds) => (document.querySelector('audio')?.currentTime ?? 0) > seconds,
      before,
    );
  }
  expect(await screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
  expect(await screen.token.getAttribute('aria-invalid')).toBe('true');
  expect(await screen.countdown.textContent()).toBe('00:00');
  expect(await page.getByText('El audio continúa: la conexión abierta no caduca.').isVisible()).toBe(true);
  expect(await looks(screen.createToken)).toContain('button--secondary');
  expect(await looks(page.locator('.clock'))).toContain('clock--outlived');
  expect(stream.opened()).toHaveLength(1);
  await screen.pause.click();
  await partner.status('Debes generar un Token');
  expect(await screen.play.isDisabled()).toBe(true);
  expect(await screen.tokenHeading.evaluate((heading) => heading === document.activeElement)).toBe(true);
  await expect.poll(stream.listenerCount).toBe(0);
});

/** Returns the texts of the filled buttons; that of the player stands for its state, unless it is the next to press. */
const filled = (page: Page) =>
  page
    .locator('.button--primary, .play--next')
    .evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? button.textContent));

test('a creation that interrupts the sound makes play the one filled button, and focuses it', async ({
  partner,
  page,
  screen,
}) => {
  await partner.createToken();
  expect(await filled(page)).toEqual(['Copiar URL']);
  await partner.play();
  await partner.createToken();
  await partner.status('Audio en pausa');
  expect(await filled(page)).toEqual(['Reproducir audio']);
  expect(await screen.play.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await partner.status('Audio en reproducción');
  expect(await filled(page)).toEqual(['Copiar URL']);
});

test('in the last two minutes there is one filled button, while paused and while playing', async ({
  partner,
  page,
}) => {
  await page.clock.install();
  await partner.createToken();
  await page.clock.fastForward('18:30');
  await partner.sees('Últimos minutos');
  expect(await filled(page)).toEqual(['Crear Token']);
  await partner.play();
  expect(await filled(page)).toEqual(['Copiar URL']);
});

const looks = (element: Locator) => element.getAttribute('class');

describe('creating a token while an expired one plays', () => {
  test.beforeEach(async ({ partner }) => {
    await partner.page.clock.install();
    await partner.createToken();
    await partner.play();
    await partner.soundAdvances(2);
    await partner.page.clock.fastForward(20 * MINUTE_MS);
    await expect.poll(() => partner.screen.countdown.textContent()).toBe('00:00');
  });

  test('pauses the sound, and resumes it if the creation fails', async ({
    stream,
    partner,
    page,
    screen,
  }) => {
    let fail = () => {};
    const asked = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/graphql', async (route) => {
      await asked;
      await route.fulfill({ status: 502, body: 'Bad Gateway' });
    });
    await screen.createToken.click();
    await page.getByText('Creando Token').waitFor();
    expect(await page.evaluate(() => document.querySelector('audio')?.paused)).toBe(true);
    expect(stream.listenerCount()).toBe(1);
    fail();
    await partner.sees('No se pudo completar la operación');
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(stream.opened()).toHaveLength(1);
    expect(stream.listenerCount()).toBe(1);
  });

  test('closes the old connection once there is a new token', async ({ stream, partner }) => {
    await partner.createToken();
    await partner.status('Audio en pausa');
    await expect.poll(stream.listenerCount).toBe(0);
    await partner.play();
    expect(stream.opened()).toHaveLength(2);
  });
});

describe('the volume', () => {
  const heard = (page: Page) =>
    page.evaluate(() => {
      const audio = document.querySelector('audio');
      return audio && [Math.round(audio.volume * 100), audio.muted];
    });

  test('is set by the keyboard, and is kept over a reload and a sign-out', async ({
    partner,
    page,
    screen,
  }) => {
    expect(await heard(page)).toEqual([100, false]);
    await screen.volume.focus();
    for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press('ArrowLeft');
    expect(await heard(page)).toEqual([70, false]);
    await page.reload();
    await screen.volume.waitFor();
    expect(await screen.volume.inputValue()).toBe('70');
    expect(await heard(page)).toEqual([70, false]);
    await screen.signOut.click();
    await screen.signIn.waitFor();
    await expect.poll(partner.storage).toEqual({ volume: '70' });
  });

  test('of muted audio looks like missing sound in page, title and icon, and stays muted after a reload', async ({
    partner,
    page,
    screen,
  }) => {
    await partner.createToken();
    await partner.play();
    await screen.mute.focus();
    await page.keyboard.press('Space');
    await screen.unmute.waitFor();
    expect(await heard(page)).toEqual([100, true]);
    expect(await screen.volume.inputValue()).toBe('0');
    await partner.soundAdvances();
    expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
    await page.getByText('Está silenciado: no oirás nada').waitFor();
    expect(await looks(page.locator('.dashboard .pitch'))).toContain('pitch--missing');
    await expect.poll(() => page.title()).toMatch(/^⚠ Silenciado · /);
    expect(decodeURIComponent((await page.locator('link[rel=icon]').getAttribute('href')) ?? '')).toContain(
      '#ffc24b',
    );
    await page.reload();
    await screen.unmute.click();
    await screen.mute.waitFor();
    expect(await heard(page)).toEqual([100, false]);
  });
});

test('the system’s media keys pause and play, and show what plays', async ({
  stream,
  partner,
  page,
  screen,
}) => {
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

  await partner.createToken();
  await partner.sees('El audio suena en otra pestaña.');
  await expect.poll(stream.listenerCount).toBe(1);

  await other.close();
  await partner.page.getByText('El audio suena en otra pestaña.').waitFor({ state: 'hidden' });
  await partner.play();
});
