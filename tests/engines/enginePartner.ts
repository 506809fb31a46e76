import { expect, onTestFinished } from 'vitest';
import { ACCOUNT } from '../support/testApp.ts';
import { launchChromium } from './chromium.ts';
import type { EngineBrowser, EngineTab, LaunchEngine } from './engineBrowser.ts';
import { launchFirefox } from './firefox.ts';
import { startSoundCard } from './soundCard.ts';
import { launchWebKit } from './webkit.ts';

/** Of what the browser needs to start, connect or notice a loss. */
export const PATIENCE = { timeout: 30_000 };

export const ENGINES: Record<string, LaunchEngine> = {
  Chromium: launchChromium,
  Firefox: launchFirefox,
  WebKit: launchWebKit,
};

export async function newPartner<Browser extends EngineBrowser>(launch: LaunchEngine<Browser>) {
  const soundCard = await startSoundCard();
  onTestFinished(async () => void (await soundCard.close()));
  const browser = await launch(soundCard.env);
  onTestFinished(() => browser.close());
  const deeds = deedsIn(browser);
  const isHeard = async () =>
    (await deeds.status()) === 'Audio en reproducción' && (await soundCard.sounds());
  /** The page says that sound plays, and the sound card plays it. */
  const hears = (patience = PATIENCE) => expect.poll(isHeard, patience).toBe(true);
  return {
    ...browser,
    ...soundCard,
    ...deeds,
    otherTab: async () => deedsIn(await browser.openTab()),
    hears,
    async arriveAndPlay(url: string): Promise<void> {
      await deeds.arrive(url);
      await deeds.createToken();
      await deeds.press('Reproducir audio');
      await hears();
    },
  };
}

function deedsIn(browser: EngineTab) {
  const textOf = (selector: string) =>
    browser.evaluate<string | null>(`document.querySelector('${selector}')?.textContent`);
  const token = () => browser.evaluate<string>("document.querySelector('textarea')?.value");
  const status = () => textOf('#player-status');
  const press = (name: string) => {
    const named = `[contains(., "${name}") or @aria-label="${name}" or @title="${name}"]`;
    return expect
      .poll(() => browser.click(`(//button${named} | //a${named})[1]`).then(() => true, String))
      .toBe(true);
  };
  const sees = (text: string) => expect.poll(() => textOf('body'), PATIENCE).toContain(text);
  async function signIn(password: string) {
    for (const [field, text] of Object.entries({ username: ACCOUNT.username, password })) {
      await expect
        .poll(() => browser.click(`//input[@id="${field}"]`).then(() => true, String), PATIENCE)
        .toBe(true);
      await browser.evaluate('document.activeElement.select()');
      await browser.type(text);
    }
    await press('iniciar sesión');
  }
  return {
    open: browser.open,
    press,
    token,
    status,
    countdown: () => textOf('[role=timer]'),
    body: () => textOf('body'),
    title: () => browser.evaluate<string>('document.title'),
    sees,
    statusBecomes: (text: string) => expect.poll(status, PATIENCE).toBe(text),
    signIn,
    async arrive(url: string) {
      await browser.open(url);
      await signIn(ACCOUNT.password);
      await sees(ACCOUNT.company);
    },
    async createToken(): Promise<string> {
      const before = await token();
      await press('Crear Token');
      await expect.poll(token, PATIENCE).not.toBe(before);
      return token();
    },
    async pasted(): Promise<string> {
      await browser.evaluate(
        "void document.body.append(Object.assign(document.createElement('textarea'), { id: 'pasted' })) ?? document.getElementById('pasted').focus()",
      );
      await browser.pressCtrl('v');
      const text = () => browser.evaluate<string>("document.getElementById('pasted').value");
      await expect.poll(text).not.toBe('');
      return text();
    },
  };
}
