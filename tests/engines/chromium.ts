import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, requireTool } from '../support/testTools.ts';
import type { EngineBrowser, EngineTab } from './engineBrowser.ts';

/** Chromium by Playwright, as in the other browser tests, but not muted. `sleep` stops its processes for some seconds. */
export async function launchChromium(env: Record<string, string>): Promise<EngineBrowser> {
  const server = await chromium.launchServer({
    executablePath: requireTool('chromium'),
    args: CHROMIUM_FLAGS.filter((flag) => flag !== '--mute-audio'),
    ignoreDefaultArgs: ['--mute-audio'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const browser = await chromium.connect(server.wsEndpoint());
  const context = await browser.newContext();
  /** Playwright starts the browser as the leader of a process group. */
  const signal = (name: NodeJS.Signals) => process.kill(-Number(server.process().pid), name);
  return {
    ...tabOf(await context.newPage()),
    openTab: async () => tabOf(await context.newPage()),
    async sleep(seconds) {
      signal('SIGSTOP');
      await setTimeout(seconds * 1_000);
      signal('SIGCONT');
    },
    close: () => server.close(),
  };
}

function tabOf(page: Page): EngineTab {
  return {
    open: async (url) => void (await page.goto(url)),
    click: (xpath) => page.click(`xpath=${xpath}`, { timeout: 5_000 }),
    type: (text) => page.keyboard.type(text),
    pressCtrl: (letter) => page.keyboard.press(`Control+${letter}`),
    evaluate: (expression) => page.evaluate(expression),
  };
}
