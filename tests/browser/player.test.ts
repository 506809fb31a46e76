import { expect } from 'vitest';
import { test } from './faultyStream.ts';

const MINUTE_MS = 60_000;

test.beforeEach(async ({ stream, partner }) => {
  stream.startAfresh();
  await partner.signIn();
});

test('a refused token makes way for the next one', async ({ stream, partner, page, screen }) => {
  await partner.createToken();
  stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
  await screen.play.click();
  await partner.status('Audio rechazado');
  await partner.sees('Quizá el Token expiró');
  expect(await page.locator('.button--primary, .play--next').allTextContents()).toEqual(['Crear Token']);
  for (const praise of [/^Conéctate antes de/, /^Token creado a las/])
    expect(await page.getByText(praise).count()).toBe(0);
  expect([stream.opened().length, stream.asked()]).toEqual([2, 4]);
  stream.conductItself({ kind: 'passes' });
  await partner.createToken();
  await partner.status('Audio en reproducción');
});

test('an answer that the page cannot read is told as no more than that', async ({ stream, partner }) => {
  await partner.createToken();
  stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: false });
  await partner.screen.play.click();
  await partner.status('Reconectando…');
  await partner.sees('El proveedor responde, pero no con audio.');
});

test('sound outlives its token on a hidden page until the partner pauses', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await page.clock.install();
  await partner.createToken();
  await partner.play();
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    for (const event of ['visibilitychange', 'freeze']) document.dispatchEvent(new Event(event));
  });
  await page.clock.fastForward(30 * MINUTE_MS);
  await expect.poll(() => screen.countdown.textContent()).toBe('00:00');
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
