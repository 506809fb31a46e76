import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchServer, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { CHROMIUM_FLAGS, requireTool } from '../support/testTools.ts';
import { type EngineBrowser, type EngineTab, written } from './engineBrowser.ts';
import { startScreen } from './screen.ts';

const STARTED = { timeout: 30_000 };

/** Slows the timers of hidden tabs after 10 s and freezes those tabs after 5 s. Both would begin after five minutes. */
const SOON_PUT_TO_SLEEP = [
  'IntensiveWakeUpThrottling:grace_period_seconds/10',
  // Otherwise only tabs other than the last five freeze.
  'InfiniteTabsFreezing:num_protected_tabs/0',
  'CPUMeasurementInFreezingPolicy:freezing_visible_protection_time/5s/freezing_audio_protection_time/5s',
];

/** Starts Chromium unmuted, for the sound card. `sleep` stops its processes for some seconds. */
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

/**
 * Chromium as partners start it: with Playwright's flags and its emulated focus a hidden tab counts as visible. `hide`
 * puts another tab in front of all and lets go of them, `look` takes hold of the one at this path again.
 */
export async function launchPlainChromium(env: Record<string, string>) {
  const screen = await startScreen(env);
  const program = launchServer(
    [
      ...CHROMIUM_FLAGS.filter((flag) => flag !== '--mute-audio'),
      ...['--remote-debugging-port=0', `--user-data-dir=${temporaryFolder()}`],
      `--enable-features=${SOON_PUT_TO_SLEEP}`,
      'about:blank',
    ],
    { ...env, ...screen.env },
    { program: requireTool('chromium') },
  );
  const address = `http://127.0.0.1:${await written(program, /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/)}`;
  await expect
    .poll(async () => (await fetch(`${address}/json/list`)).text(), STARTED)
    .toContain('about:blank');
  let connection = await chromium.connectOverCDP(address);
  const pages = () => connection.contexts().flatMap((context) => context.pages());
  const pageAt = (path: string) => pages().find((page) => page.url().endsWith(path)) as Page;
  const first = pageAt('about:blank');
  return {
    ...tabOf(first),
    openTab: async () => tabOf(await first.context().newPage()),
    async hide() {
      await connection.close();
      await fetch(`${address}/json/new`, { method: 'PUT' });
    },
    async look(path: string) {
      connection = await chromium.connectOverCDP(address);
      return tabOf(pageAt(path));
    },
    async close() {
      await stopServer(program, 'SIGTERM');
      await screen.close();
    },
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
