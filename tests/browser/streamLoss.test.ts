import { expect } from 'vitest';
import { test } from './faultyStream.ts';

const MINUTE_MS = 60_000;

test.beforeEach(async ({ stream, partner }) => {
  stream.startAfresh();
  await partner.signIn();
});

test('a stream that is cut off alarms until it is opened again', async ({ site, stream, partner, page }) => {
  const token = await partner.createToken();
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

test('a lost stream is opened again as soon as the network is back', async ({ stream, partner, page }) => {
  await page.clock.install();
  await partner.createToken();
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
