import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSite } from '../support/partnerSite.ts';
import { launchPlainChromium } from './chromium.ts';
import { newPartner } from './enginePartner.ts';
import { startToneStream } from './toneStream.ts';

const WITHOUT_DATA_MS = 75_000;
/** An attempt gives up after 15 s without data, and the next one comes within 15 s. */
const APART_MS = 35_000;
/** Chromium runs the timers of a hidden page once a minute; without that they come every second. */
const SLOWED_MS = 20_000;
const IDLE_PATH = '/healthz';

// Firefox runs the timers of hidden pages every second, and WebKit's driver cannot hide one.
test('a hidden tab hears a stream that returns within 25 s', async ({ annotate }) => {
  const stream = await startToneStream();
  onTestFinished(() => stream.close());
  const site = await startSite({ inFrontOfStream: () => stream.baseUrl });
  onTestFinished(() => site.close());
  const partner = await newPartner(launchPlainChromium);
  await partner.arrive(site.url);
  await partner.createToken();
  await partner.press('Reproducir audio');
  await partner.hears();
  const idle = await partner.openTab();
  await idle.open(`${site.url}${IDLE_PATH}`);
  await idle.evaluate(
    'void ((window.ticks = []) && setInterval(() => ticks.push(performance.now()), 1_000))',
  );
  await partner.hide();

  const stalledMs = performance.now();
  stream.stall({ kind: 'stalls' });
  await setTimeout(WITHOUT_DATA_MS);
  expect(await partner.sounds()).toBe(false);
  stream.resume();
  const backMs = performance.now();
  await expect.poll(partner.sounds, { timeout: 25_000 }).toBe(true);
  const apart = longestGap([...stream.askedAt().filter((at) => at > stalledMs && at < backMs), backMs]);
  expect(apart).toBeLessThan(APART_MS);
  const [heardS, apartS] = [performance.now() - backMs, apart].map((ms) => Math.round(ms / 1_000));
  await annotate(`heard again after ${heardS} s, attempts up to ${apartS} s apart`);

  // The player wakes its own page by each attempt.
  const ticks = await (await partner.look(IDLE_PATH)).evaluate<number[]>('[...ticks, performance.now()]');
  expect(longestGap(ticks)).toBeGreaterThan(SLOWED_MS);
}, 240_000);

function longestGap(times: number[]): number {
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
}
