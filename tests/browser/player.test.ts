import { expect } from 'vitest';
import { MINUTE_MS } from '../../shared/durations.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { test } from './faultyStream.ts';

test.beforeEach(({ stream }) => stream.startAfresh());

test('sound outlives its token on a hidden phone until the partner pauses, and the player stays in view', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.clock.install();
  await partner.signIn(0);
  await partner.play();
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    for (const event of ['visibilitychange', 'freeze']) document.dispatchEvent(new Event(event));
  });
  await page.clock.fastForward(30 * MINUTE_MS);
  await expect.poll(() => screen.countdown.textContent()).toBe('00:00');
  await partner.soundAdvances();
  expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
  await expect.poll(() => screen.token.inputValue()).toBe('Token expirado, Debes crear uno nuevo Token');
  await partner.sees('El audio continúa: la conexión abierta no caduca.');
  await page.locator('.button--secondary', { hasText: 'Crear Token' }).waitFor();
  await page.locator('.clock--outlived').waitFor();
  expect(stream.opened()).toHaveLength(1);
  await screen.pause.click();
  await partner.status('Debes generar un Token');
  // The button is disabled one rendering after the text changes, once the focus has moved.
  await expect.poll(() => screen.play.isDisabled()).toBe(true);
  expect(await screen.tokenHeading.evaluate((heading) => heading === document.activeElement)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await expect.poll(stream.listenerCount).toBe(0);
});

test('two tabs never play at the same time', async ({ stream, partner }) => {
  await partner.signIn(0);
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

test('a stream that is cut off alarms until it is opened again', async ({
  site,
  stream,
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  const token = await screen.token.inputValue();
  await partner.play();
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');
  const playing = await icon();
  stream.conductItself({ kind: 'refuses', status: 503, tellsOtherOrigins: true });
  stream.cut();
  await partner.status('Sin audio. Reconectando…');
  expect(await page.getByText('Crear otro Token pausa el audio.').count()).toBe(0);
  await expect.poll(() => page.title()).toMatch(/^⚠ Sin audio · 1\d:\d\d · Audio Oficial Premium$/);
  await expect.poll(icon).not.toBe(playing);
  stream.conductItself({ kind: 'passes' });
  // Rather than wait for the next attempt.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await partner.status('Audio en reproducción');
  await expect.poll(icon).toBe(playing);
  await partner.soundAdvances();
  const { pathname, search } = new URL(site.streamBaseUrl + token);
  expect(new Set(stream.opened())).toEqual(new Set([pathname + search]));
  await expect.poll(stream.listenerCount).toBe(1);
});

test('an extension that keeps another speed is named, and alarms nothing', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  await partner.play();
  const sets = await page.evaluateHandle(() => {
    const counts = { back: 0, alarms: 0 };
    const pitch = document.querySelector('.pitch');
    const watch = () => {
      if (pitch?.matches('.pitch--missing')) counts.alarms += 1;
    };
    if (pitch) new MutationObserver(watch).observe(pitch, { attributes: true });
    setInterval(() => {
      for (const audio of document.querySelectorAll('audio')) {
        if (audio.playbackRate === 1) counts.back += 1;
        audio.playbackRate = 2;
      }
    }, 250);
    return counts;
  });
  await partner.sees('Otro programa cambia la velocidad del audio.');
  // The real stream sends 5.4 s at once.
  await partner.soundAdvances(14);
  expect(await sets.jsonValue()).toEqual({ back: 4, alarms: 0 });
  expect(stream.opened()).toHaveLength(1);
  expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
});

test('a speed that was changed once is set back without a word', async ({ partner, page }) => {
  await partner.signIn(0);
  await partner.play();
  await page.evaluate(() => {
    for (const audio of document.querySelectorAll('audio')) audio.playbackRate = 2;
  });
  await page.waitForFunction(() => document.querySelector('audio')?.playbackRate === 1);
  expect(await page.getByText('cambia la velocidad').count()).toBe(0);
});

test('a stream that ended is heard anew although the browser keeps its sound', async ({
  stream,
  partner,
  page,
}) => {
  stream.conductItself({ kind: 'mayBeKept' });
  await partner.signIn(0);
  await partner.play();
  stream.end();
  await expect.poll(() => stream.opened().length).toBe(2);
  await partner.status('Audio en reproducción');
  await partner.soundAdvances();
  await expect.poll(stream.listenerCount).toBe(1);

  stream.end();
  await page.goto('/healthz');
  const opened = stream.opened().length;
  await page.goto('/dashboard');
  await partner.play();
  await expect.poll(() => stream.opened().length).toBeGreaterThan(opened);
  await partner.soundAdvances();
  // A kept stream would have an end.
  expect(await page.evaluate(() => document.querySelector('audio')?.duration)).toBe(Number.POSITIVE_INFINITY);
});

test('a page that was loaded again plays while our server answers nothing', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  await partner.play();
  await page.route('**/graphql', (route) => route.abort());
  await page.reload();
  await partner.sees('El audio se detuvo al cargar la página de nuevo.');
  await screen.play.click();
  await partner.status('Audio en reproducción');
  await partner.soundAdvances();
});

test('a page that was loaded again after the session ended under sound says so until play is pressed', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  await partner.play();
  await site.app.prisma.session.deleteMany();
  await screen.createToken.click();
  await partner.sees('Tu sesión terminó. El audio continúa.');
  await page.reload();
  await partner.sees('El audio terminó.');
  expect(await page.title()).toMatch(/^⚠/);
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  await partner.sees('Tu sesión terminó. El audio terminó.');
  await partner.createToken();
  expect(await page.title()).not.toMatch(/^⚠/);
  await partner.play();
});

test('a lost stream is opened again as soon as the network is back', async ({ stream, partner, page }) => {
  await page.clock.install();
  await partner.signIn(0);
  await partner.play();
  // From here on no timer fires any more.
  await page.clock.pauseAt(Date.now() + MINUTE_MS);
  await partner.context.setOffline(true);
  await partner.sees('Sin conexión a la red: el audio puede cortarse.');
  stream.end();
  await partner.status('Reconectando…');
  await partner.sees('Sin conexión a la red. El audio volverá con ella.');
  await partner.context.setOffline(false);
  await partner.status('Audio en reproducción');
  await page.getByText('Sin conexión a la red').waitFor({ state: 'hidden' });
});
