import type { JSHandle, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from './partnerTest.ts';

/** `test` at a site whose page may read the sound, so that it plays through WebAudio. */
const test = base.extend('siteOptions', { scope: 'file' }, () => ({
  pageConfig: { firebaseConfig: null, supportContact: null, streamCors: true },
}));

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
  await partner.signIn(0);
  await partner.play();
  await partner.soundAdvances();
  expect(await page.locator('.waves--measured').count()).toBe(0);
  await screen.pause.click();
  await partner.status('Audio en pausa');
  expect(await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.paused)).toBe(true);
});

test('measured sound is heard again after its output dies while it plays, or during a pause', async ({
  partner,
  page,
  screen,
}) => {
  await page.addInitScript(() => {
    const contexts: AudioContext[] = [];
    const Kept = class extends AudioContext {
      constructor(options?: AudioContextOptions) {
        super(options);
        contexts.push(this);
      }
    };
    Object.assign(globalThis, { AudioContext: Kept, contexts });
  });
  await partner.signIn(0);
  await partner.play();
  await isMeasured(page);
  // As the system does when the sound device is gone.
  await isHeardAfter((context) => Object.assign(context, { resume: () => new Promise(() => {}) }).suspend());
  await isHeardAfter((context) => {
    Object.defineProperty(context, 'currentTime', { value: context.currentTime });
  });

  await screen.pause.click();
  await partner.status('Audio en pausa');
  await (await lastContext(page)).evaluate((context) => context.close());
  // So does another button in between.
  await partner.createToken();
  await partner.play();
  await isMeasured(page);

  async function isHeardAfter(death: (context: AudioContext) => unknown): Promise<void> {
    const before = await page.locator('audio').elementHandle();
    await (await lastContext(page)).evaluate(death);
    await page.waitForFunction((old) => document.querySelector('audio') !== old, before);
    await partner.status('Audio en reproducción');
    await isMeasured(page);
    await partner.soundAdvances();
    expect(await page.locator('audio').count()).toBe(1);
  }
});

async function isMeasured(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const level = document.querySelector<HTMLElement>('.waves--measured')?.style.getPropertyValue('--level');
    return Number(level) > 0;
  });
}

function lastContext(page: Page): Promise<JSHandle<AudioContext>> {
  return page.evaluateHandle('contexts.at(-1)');
}
