import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DASHBOARD_PATH, HEALTH_PATH, READY_PATH } from '../../shared/paths.ts';
import { startSite } from '../support/partnerSite.ts';
import { launchPlainChromium } from './chromium.ts';
import { newPartner } from './enginePartner.ts';
import { startToneStream } from './toneStream.ts';

const WITHOUT_DATA_MS = 75_000;
/** An attempt gives up after 15 s without data, and the next one comes within 15 s. */
const APART_MS = 35_000;
/** Chromium runs the timers of a hidden page once a minute; without that they come every second. */
const SLOWED_MS = 20_000;

/** Two tabs beside the player do nothing. One of them holds a lock of its own, and may only be slowed. */
const IDLE_PATH = HEALTH_PATH;
const LOCKED_PATH = READY_PATH;

type Watched = { freezes: number; ticks: Array<{ at: number; soundLocks: number }> };

/** Counts how often the page is frozen, and notes each second how many tabs hold the lock of a player. */
const WATCH = `void (() => {
  window.watched = { freezes: 0, ticks: [] };
  document.addEventListener('freeze', () => { watched.freezes += 1; });
  setInterval(async () => {
    const { held } = await navigator.locks.query();
    const soundLocks = held.filter(({ name }) => name.startsWith('sound ')).length;
    watched.ticks.push({ at: Date.now(), soundLocks });
  }, 1_000);
})()`;
const HOLD_LOCK = "void navigator.locks.request('other', () => new Promise(() => {}))";

// Firefox runs the timers of hidden pages every second and freezes none, and WebKit's driver cannot hide one.
test('a hidden tab that lost its sound is not frozen, and hears a stream that returns within 25 s', async ({
  annotate,
}) => {
  const stream = await startToneStream();
  onTestFinished(() => stream.close());
  const site = await startSite({ inFrontOfStream: () => stream.baseUrl });
  onTestFinished(() => site.close());
  const partner = await newPartner(launchPlainChromium);
  await partner.arriveAndPlay(site.url);
  const tabs = [await partner.openTab(), await partner.openTab()] as const;
  await tabs[0].open(site.url + IDLE_PATH);
  await tabs[1].open(site.url + LOCKED_PATH);
  await tabs[1].evaluate(HOLD_LOCK);
  for (const { evaluate } of [partner, ...tabs]) await evaluate(WATCH);
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

  const watched = async (path: string) => (await partner.look(path)).evaluate<Watched>('watched');
  const player = await watched(DASHBOARD_PATH);
  expect(player.freezes).toBe(0);
  expect(player.ticks.filter(({ soundLocks }) => soundLocks !== 1)).toEqual([]);
  // The browser does freeze and slow tabs; the player wakes its own page by each attempt.
  const [idle, locked] = [await watched(IDLE_PATH), await watched(LOCKED_PATH)];
  expect(idle.freezes).toBeGreaterThan(0);
  expect(locked.freezes).toBe(0);
  expect(longestGap([...locked.ticks.map(({ at }) => at), Date.now()])).toBeGreaterThan(SLOWED_MS);
}, 240_000);

function longestGap(times: number[]): number {
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
}
