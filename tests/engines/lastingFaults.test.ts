import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MINUTE_MS } from '../../shared/durations.ts';
import { startFaultyStream } from '../browser/faultyStream.ts';
import { startSite } from '../support/partnerSite.ts';
import { ACCOUNT } from '../support/testApp.ts';
import type { LaunchEngine } from './engineBrowser.ts';
import { ENGINES, newPartner, PATIENCE } from './enginePartner.ts';

/** The longest wait between two attempts is 15 s, after five minutes 30 s. */
const SOON = { timeout: 20_000 };
const AFTER_FIVE_MINUTES = { timeout: 40_000 };
/** An attempt that is not answered may take 15 s more. */
const AFTER_NO_ANSWER = { timeout: 35_000 };

type Stream = Awaited<ReturnType<typeof startFaultyStream>>;
type Conduct = Parameters<Stream['conductItself']>[0];

type Fault = { begin: (stream: Stream) => unknown; end?: (stream: Stream) => unknown; back?: typeof SOON };

const UNREADABLE: Fault = {
  begin: conducted({ kind: 'refuses', status: 503, tellsOtherOrigins: false }),
};
const FAULTS: Record<string, Fault> = {
  '503 that may not be read': UNREADABLE,
  '404 that can be read': { begin: conducted({ kind: 'refuses', status: 404, tellsOtherOrigins: true }) },
  page: { begin: conducted({ kind: 'sendsPage' }) },
  'refused connection': { begin: (stream) => stream.down(), end: (stream) => stream.up() },
  'server that hangs': { begin: conducted({ kind: 'hangs' }), back: AFTER_NO_ANSWER },
};

function conducted(conduct: Conduct) {
  return (stream: Stream) => {
    stream.conductItself(conduct);
    stream.cut();
  };
}

const ON_AIR = '[...document.querySelectorAll("audio")].find((element) => !element.paused)';

async function hear(launch: LaunchEngine) {
  const stream = await startFaultyStream();
  onTestFinished(() => stream.close());
  const site = await startSite({ inFrontOfStream: stream.inFrontOf });
  onTestFinished(() => site.close());
  const partner = await newPartner(launch);
  await partner.arriveAndPlay(site.url);
  return {
    ...partner,
    site,
    stream,
    act: (how: 'pause' | 'play') =>
      partner.evaluate(`void (${how === 'play' ? "document.querySelector('audio')" : ON_AIR}).${how}()`),
    /** The connection drops too, which Chromium would open again by itself if the provider accepted it. */
    async tokenExpires() {
      const token = await partner.token();
      await partner.evaluate(`void ((read) => { Date.now = () => read() + ${20 * MINUTE_MS}; })(Date.now)`);
      await partner.sees('El audio continúa');
      stream.conductItself({ kind: 'refuses', status: 403, tellsOtherOrigins: false, token });
      stream.cut();
    },
  };
}

async function outlast(launch: LaunchEngine, { begin, end, back = SOON }: Fault, lastsMs: number) {
  const partner = await hear(launch);
  await begin(partner.stream);
  const brokenMs = performance.now();
  await partner.statusBecomes('Sin audio. Reconectando…');
  // Firefox may play what it has buffered for some seconds more.
  await expect.poll(partner.title, PATIENCE).toMatch(/^⚠/);
  await setTimeout(lastsMs - (performance.now() - brokenMs));
  expect([await partner.status(), await partner.sounds()]).toEqual(['Sin audio. Reconectando…', false]);
  await end?.(partner.stream);
  partner.stream.startAfresh();
  const endedMs = performance.now();
  await partner.hears(back);
  return Math.round((performance.now() - endedMs) / 1_000);
}

test('sound is back within 40 s of a fault of five minutes', async ({ annotate }) => {
  const fault = { ...UNREADABLE, back: AFTER_FIVE_MINUTES };
  await Promise.all(
    Object.entries(ENGINES).map(async ([engine, launch]) =>
      annotate(`${engine}: heard again after ${await outlast(launch, fault, 5 * MINUTE_MS)} s`),
    ),
  );
}, 480_000);

describe.each(Object.entries(ENGINES))('in %s', (engine, launch) => {
  test('sound is back after a fault of 45 seconds, whatever it was', async ({ annotate }) => {
    await Promise.all(
      Object.entries(FAULTS).map(async ([name, fault]) =>
        annotate(`${engine}, ${name}: heard again after ${await outlast(launch, fault, 45_000)} s`),
      ),
    );
  }, 240_000);

  test('an automatic token is created and played without a press', async () => {
    const partner = await hear(launch);
    const token = await partner.token();
    await partner.click('//label[contains(., "Si se corta el audio, crear otro Token")]');
    await partner.tokenExpires();
    await expect.poll(partner.token, PATIENCE).toMatch(/^(?!Token expirado)/);
    expect(await partner.token()).not.toBe(token);
    await partner.hears();
    expect(partner.stream.opened().at(-1)).toContain(await partner.token());
  });

  test('a pause from outside alarms, and its end goes on with the same connection', async () => {
    const partner = await hear(launch);
    await partner.act('pause');
    await partner.sees('Otro programa o el sistema pausó el audio.');
    expect(await partner.title()).toMatch(/^⚠/);
    expect(partner.stream.listenerCount()).toBe(1);
    await partner.act('play');
    await partner.hears();
    expect(partner.stream.opened()).toHaveLength(1);
  });

  test('sound outlives the session, and another tab signs in again', async () => {
    const partner = await hear(launch);
    await partner.site.app.prisma.session.deleteMany();
    await partner.press('Crear Token');
    await partner.sees('Tu sesión terminó. El audio continúa.');
    await partner.hears();
    expect(partner.stream.opened()).toHaveLength(1);

    const other = await partner.otherTab();
    await other.open(partner.site.url);
    await other.signIn(ACCOUNT.password);
    await expect.poll(partner.body, PATIENCE).not.toContain('El audio continúa.');
    // The token that plays is still good for another connection.
    partner.stream.end();
    await expect.poll(partner.stream.opened, PATIENCE).toHaveLength(2);
    await partner.hears();
    expect(await partner.body()).not.toContain('Tu sesión terminó.');
    await partner.createToken();
  });
});
