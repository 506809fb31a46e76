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

describe('a stream in trouble', () => {
  test('that falls silent without a word is shown as loading, and then opened anew at the very same address', async () => {
    const token = await partner.createToken();
    await partner.play();
    stream.stall();
    await partner.status('Cargando audio…');
    expect(stream.opened()).toHaveLength(1);
    await partner.status('Reconectando…');
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
    const { pathname, search } = new URL(stream.streamBaseUrl + token);
    expect(new Set(stream.opened())).toEqual(new Set([pathname + search]));
    expect(stream.listenerCount()).toBe(1);
  });

  test('that is cut off goes on sounding', async () => {
    await partner.createToken();
    await partner.play();
    stream.cut();
    await expect.poll(stream.listenerCount).toBe(1);
    await expect.poll(partner.audioSeconds, { timeout: 20_000 }).toBeGreaterThan(6);
    await partner.status('Audio en reproducción');
    await partner.soundAdvances();
  });

  test('that fails for a while is tried until it plays: a fault is no refusal', async () => {
    await partner.createToken();
    stream.conductItself({ kind: 'refuses', status: 503, tellsOtherOrigins: true });
    await partner.screen.play.click();
    await notice('Sin conexión con el audio. Reintentando…');
    await expect.poll(() => stream.opened().length, { timeout: 10_000 }).toBeGreaterThan(1);
    stream.conductItself({ kind: 'passes' });
    await partner.status('Audio en reproducción');
  });

  test('is told as refused, not lost, when its token is no longer accepted after it played', async () => {
    await partner.createToken();
    await partner.play();
    stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: true });
    stream.end();
    await partner.status('Audio rechazado');
    expect(await partner.page.getByText('Se perdió').isVisible()).toBe(false);
  });
});

describe('the network', () => {
  test('that goes is shown at once; when it is back, so is the sound, without waiting for the next attempt', async () => {
    const { page, context } = partner;
    await page.clock.install();
    await partner.createToken();
    await partner.play();
    // From here on no timer fires any more.
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    await context.setOffline(true);
    await notice('Sin conexión a la red: el audio puede cortarse.');
    expect(await partner.screen.playerStatus.textContent()).toBe('Audio en reproducción');
    stream.end();
    await partner.status('Reconectando…');
    await notice('Sin conexión a la red. El audio volverá con ella.');
    await context.setOffline(false);
    await partner.status('Audio en reproducción');
    await page.getByText('Sin conexión a la red').waitFor({ state: 'hidden' });
    await partner.soundAdvances();
  });

  test('that goes while the audio is paused is shown too', async () => {
    await partner.context.setOffline(true);
    await notice('Sin conexión a la red.');
    await partner.context.setOffline(false);
    await partner.page.getByText('Sin conexión a la red').waitFor({ state: 'hidden' });
  });

  test('is tried at once when the page is looked at again, whose timers a phone froze', async () => {
    const { page } = partner;
    await page.clock.install();
    await partner.createToken();
    await partner.play();
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    stream.stall();
    await partner.status('Cargando audio…');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await partner.status('Audio en reproducción');
  });
});
