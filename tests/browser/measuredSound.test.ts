import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from './partnerTest.ts';

/** `test` at a site whose page may read the sound, so that it plays through WebAudio. */
const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  pageConfig: { firebaseConfig: null, supportContact: null, streamCors: true },
}));

test('sound plays and pauses where an extension’s `play` returns nothing', async ({
  partner,
  page,
  screen,
}) => {
  await page.addInitScript(() => {
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function () {
      void play.call(this);
      return undefined as unknown as Promise<void>;
    };
  });
  await partner.signIn();
  await partner.createToken();
  await partner.play();
  await partner.soundAdvances();
  await screen.pause.click();
  await partner.status('Audio en pausa');
  expect(await isPaused(page)).toBe(true);
});

test('sound plays and pauses unmeasured where an extension took the element', async ({
  partner,
  page,
  screen,
}) => {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const audio = document.querySelector('audio');
      if (!audio) return;
      observer.disconnect();
      const equalizer = new AudioContext();
      equalizer.createMediaElementSource(audio).connect(equalizer.destination);
      document.addEventListener('click', () => equalizer.resume());
    }).observe(document, { childList: true, subtree: true });
  });
  await partner.signIn();
  await partner.createToken();
  await partner.play();
  await partner.soundAdvances();
  expect(await page.locator('.waves--measured').count()).toBe(0);
  await screen.pause.click();
  await partner.status('Audio en pausa');
  expect(await isPaused(page)).toBe(true);
});

function isPaused(page: Page): Promise<boolean> {
  return page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.paused);
}
