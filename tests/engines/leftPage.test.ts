import { expect, onTestFinished, test } from 'vitest';
import { HEALTH_PATH } from '../../shared/paths.ts';
import { startSite } from '../support/partnerSite.ts';
import { launchPlainChromium } from './chromium.ts';
import { newPartner, PATIENCE } from './enginePartner.ts';

const SOUND_LOCKS =
  "navigator.locks.query().then(({ held }) => held.filter(({ name }) => name.startsWith('sound ')).length)";
const NOTE_RETURN =
  "void window.addEventListener('pageshow', ({ persisted }) => { window.wasKept = persisted; })";

// Playwright switches the back/forward cache off, and npm's Chromium has none.
test('a page that is left has no lock until the browser brings it back', async () => {
  const site = await startSite();
  onTestFinished(() => site.close());
  const partner = await newPartner(launchPlainChromium);
  const soundLocks = () => partner.evaluate<number>(SOUND_LOCKS);
  await partner.arriveAndPlay(site.url);
  expect(await soundLocks()).toBe(1);
  await partner.evaluate(NOTE_RETURN);

  await partner.open(site.url + HEALTH_PATH);
  await expect.poll(soundLocks, PATIENCE).toBe(0);

  await partner.evaluate('void setTimeout(() => history.back())');
  await expect.poll(() => partner.evaluate('window.wasKept'), PATIENCE).toBe(true);
  await expect.poll(soundLocks, PATIENCE).toBe(1);
  expect(await partner.title()).toMatch(/^⚠ Sin audio/);
  await partner.press('Reproducir audio');
  await partner.hears();
});
