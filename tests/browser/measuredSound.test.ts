import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from '../support/partnerTest.ts';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  pageConfig: { firebaseConfig: null, supportContact: null, streamCors: true },
}));

test('sound plays, pauses and is measured where an extension took the element', async ({
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
  await partner.signIn(0);
  await partner.play();
  await isMeasured(page);
  await partner.soundAdvances();
  await screen.pause.click();
  await partner.status('Audio en pausa');
  expect(await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.paused)).toBe(true);
});

test('sound that an extension captures too is unmeasured, and does not read as silence', async ({
  partner,
  page,
}) => {
  await partner.signIn(0);
  await partner.play();
  await isMeasured(page);
  await page.locator('audio').evaluate((audio) => {
    const capture = (audio as unknown as HTMLCanvasElement).captureStream();
    const visualizer = new AudioContext();
    visualizer.createMediaStreamSource(capture).connect(visualizer.createAnalyser());
  });
  await page.locator('.waves--measured').waitFor({ state: 'detached' });
  await partner.status('Audio en reproducción');
});

async function isMeasured(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const level = document.querySelector<HTMLElement>('.waves--measured')?.style.getPropertyValue('--level');
    return Number(level) > 0;
  });
}
