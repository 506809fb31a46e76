import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFaultyStream } from '../browser/faultyStream.ts';
import { startSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { launchChromium } from './chromium.ts';
import { newPartner, PATIENCE } from './enginePartner.ts';

const MINUTE_MS = 60_000;
const FAULT_MS = 45_000;
/** The longest wait between two attempts is 15 s. */
const SOON = { timeout: 20_000 };
/** An attempt that is not answered may take 15 s more. */
const AFTER_NO_ANSWER = { timeout: 35_000 };
/** In which the page would ask at least twice. */
const TWO_ATTEMPTS_MS = 4_000;

type Stream = Awaited<ReturnType<typeof startFaultyStream>>;
type Conduct = Parameters<Stream['conductItself']>[0];

const FAULTS: Record<string, { begin: (stream: Stream) => unknown; back: { timeout: number } }> = {
  '503 that may not be read': {
    begin: conducted({ kind: 'refuses', status: 503, tellsOtherOrigins: false }),
    back: SOON,
  },
  '404 that can be read': {
    begin: conducted({ kind: 'refuses', status: 404, tellsOtherOrigins: true }),
    back: SOON,
  },
  page: { begin: conducted({ kind: 'sendsPage' }), back: SOON },
  'refused connection': { begin: (stream) => stream.down(), back: SOON },
  'server that hangs': { begin: conducted({ kind: 'hangs' }), back: AFTER_NO_ANSWER },
};

function conducted(conduct: Conduct) {
  return (stream: Stream) => {
    stream.conductItself(conduct);
    stream.cut();
  };
}

const ON_AIR = '[...document.querySelectorAll("audio")].find((element) => !element.paused)';

describe('in Chromium', () => {
  /** Signs in at a site with a stream of its own, and plays a token. */
  async function hear() {
    const stream = await startFaultyStream();
    onTestFinished(() => stream.close());
    const site = await startSite({ inFrontOfStream: stream.inFrontOf });
    onTestFinished(() => site.close());
    const partner = await newPartner(launchChromium);
    await partner.open(site.url);
    await partner.signIn(ACCOUNT.password);
    await partner.sees(ACCOUNT.company);
    await partner.createToken();
    await partner.press('Reproducir audio');
    await partner.statusBecomes('Audio en reproducción');

    const position = () => partner.evaluate<number>(`${ON_AIR}?.currentTime ?? 0`);
    return {
      ...partner,
      site,
      stream,
      title: () => partner.evaluate<string>('document.title'),
      act: (how: 'pause' | 'play') =>
        partner.evaluate(`void (${how === 'play' ? "document.querySelector('audio')" : ON_AIR}).${how}()`),
      async soundAdvances(patience = PATIENCE) {
        await expect.poll(partner.status, patience).toBe('Audio en reproducción');
        const before = await position();
        await expect.poll(position, PATIENCE).toBeGreaterThan(before);
      },
      /** The connection drops too, which Chromium would open again by itself if the provider accepted it. */
      async tokenExpires() {
        const token = await partner.token();
        await partner.evaluate(`void ((read) => { Date.now = () => read() + ${20 * MINUTE_MS}; })(Date.now)`);
        await partner.sees('El audio continúa');
        stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: false, token });
        stream.cut();
        await partner.sees('Se perdió el audio.');
      },
    };
  }

  test('sound is back after a fault of 45 seconds, whatever it was', async ({ annotate }) => {
    await Promise.all(
      Object.entries(FAULTS).map(async ([name, { begin, back }]) => {
        const partner = await hear();
        await begin(partner.stream);
        const brokenMs = performance.now();
        await partner.statusBecomes('Sin audio. Reconectando…');
        await expect.poll(partner.title).toMatch(/^⚠/);
        await setTimeout(FAULT_MS - (performance.now() - brokenMs));
        expect(await partner.status(), name).toBe('Sin audio. Reconectando…');
        if (name === 'refused connection') await partner.stream.up();
        partner.stream.startAfresh();
        const backMs = performance.now();
        await partner.soundAdvances(back);
        await annotate(`${name}: heard again after ${Math.round((performance.now() - backMs) / 1_000)} s`);
      }),
    );
  }, 240_000);

  test('lost sound without a valid token alarms, asks nothing and plays the next token', async () => {
    const partner = await hear();
    await partner.tokenExpires();
    const asked = partner.stream.asked();
    expect(await partner.status()).toBe('Debes generar un Token');
    expect(await partner.title()).toMatch(/^⚠/);
    await setTimeout(TWO_ATTEMPTS_MS);
    expect(partner.stream.asked()).toBe(asked);
    const token = await partner.createToken();
    await partner.soundAdvances();
    expect(partner.stream.opened().at(-1)).toContain(token);
  });

  test('a token ordered beforehand is created and played without a press', async () => {
    const partner = await hear();
    const token = await partner.token();
    await partner.click('//label[contains(., "Si se corta el audio, crear otro Token")]');
    await partner.tokenExpires();
    await expect.poll(partner.token, PATIENCE).toMatch(/^(?!Token expirado)/);
    expect(await partner.token()).not.toBe(token);
    await partner.soundAdvances();
    expect(partner.stream.opened().at(-1)).toContain(await partner.token());
  });

  test('a pause from outside alarms, and its end goes on with the same connection', async () => {
    const partner = await hear();
    await partner.act('pause');
    await partner.sees('Otro programa o el sistema pausó el audio.');
    expect(await partner.title()).toMatch(/^⚠/);
    expect(partner.stream.listenerCount()).toBe(1);
    await partner.act('play');
    await partner.soundAdvances();
    expect(partner.stream.opened()).toHaveLength(1);
  });

  test('sound outlives the session, and another tab signs in again', async () => {
    const partner = await hear();
    await partner.site.app.prisma.session.deleteMany();
    await partner.press('Crear Token');
    await partner.sees('Tu sesión terminó. El audio continúa.');
    await partner.soundAdvances();
    expect(partner.stream.opened()).toHaveLength(1);

    const other = await partner.openTab();
    await other?.open(partner.site.url);
    await other?.signIn(ACCOUNT.password);
    await expect.poll(partner.body, PATIENCE).not.toContain('El audio continúa.');
    // The token that plays is still good for another connection.
    partner.stream.end();
    await expect.poll(partner.stream.opened, PATIENCE).toHaveLength(2);
    await partner.soundAdvances();
    expect(await partner.body()).not.toContain('Tu sesión terminó.');
    await partner.createToken();
  });
});
