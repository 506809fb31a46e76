import { expect } from 'vitest';
import { SECOND_MS } from '../../shared/durations.ts';
import { test } from './faultyStream.ts';

test.beforeEach(({ stream }) => stream.startAfresh());

test('a token refused by the host to which the stream redirects makes way for the next one', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  stream.conductItself({ kind: 'redirectsToRefusal', token: await screen.token.inputValue() });
  await screen.play.click();
  await partner.status('Audio rechazado');
  await partner.sees('Quizá el Token expiró');
  expect(await page.locator('.button--primary, .play--next').allTextContents()).toEqual(['Crear Token']);
  for (const praise of [/^Conéctate antes de/, /^Token creado a las/])
    expect(await page.getByText(praise).count()).toBe(0);
  expect([stream.opened().length, stream.asked()]).toEqual([2, 4]);
  await partner.createToken();
  await partner.status('Audio en reproducción');
});

test('lost sound that is refused by the host to which the stream redirects plays with another token', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  const token = await screen.token.inputValue();
  await page.getByLabel('Si se corta el audio, crear otro Token').check();
  await partner.play();
  stream.conductItself({ kind: 'redirectsToRefusal', token });
  stream.cut();
  await expect.poll(() => screen.token.inputValue()).not.toBe(token);
  await partner.status('Audio en reproducción');
});

test('a stream that can be neither decoded nor read names the browser', async ({
  stream,
  partner,
  screen,
}) => {
  stream.conductItself({ kind: 'sendsUndecodable', tellsOtherOrigins: false });
  await partner.signIn(0);
  await screen.play.click();
  await partner.status('Reconectando…');
  await partner.sees('no con audio que este navegador reproduzca.');
});

test('a stream that accepts and sends nothing names what may hold it back', async ({
  stream,
  partner,
  page,
  screen,
}) => {
  await page.clock.install();
  stream.conductItself({ kind: 'hangs' });
  await partner.signIn(0);
  await screen.play.click();
  await expect
    .poll(async () => {
      await page.clock.fastForward(5 * SECOND_MS);
      return page.getByText('Quizá un antivirus o un proxy retiene la emisión').count();
    })
    .toBe(1);
  await partner.status('Sin audio. Reconectando…');
});

test.for(['contentLength', 'infoFrame'] as const)(
  'a stream that seems to have an end, by %s, is asked for once, and plays beyond it',
  async (by, { stream, partner, page, screen }) => {
    stream.conductItself({ kind: 'tellsEnd', by });
    await partner.signIn(0);
    await screen.play.click();
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    expect(Number.isFinite(await page.evaluate(() => document.querySelector('audio')?.duration))).toBe(true);
    await partner.soundAdvances(2);
    expect([stream.opened().length, stream.asked()]).toEqual([1, 1]);
    expect(await screen.playerStatus.textContent()).toBe('Audio en reproducción');
  },
);
