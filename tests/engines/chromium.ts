import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, requireChromium } from '../support/testTools.ts';
import type { EngineBrowser } from './engineBrowser.ts';

/** Chromium by Playwright, as in the other browser tests, but not muted. */
export async function launchChromium(env: Record<string, string>): Promise<EngineBrowser> {
  const browser = await chromium.launch({
    executablePath: requireChromium(),
    args: CHROMIUM_FLAGS.filter((flag) => flag !== '--mute-audio'),
    ignoreDefaultArgs: ['--mute-audio'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    click: (xpath) => page.click(`xpath=${xpath}`, { timeout: 5_000 }),
    type: (text) => page.keyboard.type(text),
    pressCtrl: (letter) => page.keyboard.press(`Control+${letter}`),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  };
}
