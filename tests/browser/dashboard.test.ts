import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { wrapTexts } from '../client/wrapTexts.ts';
import { refuseCookies } from '../screens/screenStates.ts';
import { STUDIO_HOST } from '../support/partnerSite.ts';
import { test } from '../support/partnerTest.ts';
import { ACCOUNT } from '../support/testApp.ts';

test('over plain http the URL is copied without the Clipboard API', async ({
  site,
  partner,
  page,
  screen,
}) => {
  const studio = new URL(site.url);
  studio.hostname = STUDIO_HOST;
  await partner.signInByForm(studio.href);
  expect(await page.evaluate(() => 'clipboard' in navigator)).toBe(false);
  const token = await partner.createToken();
  await partner.play();
  await partner.soundAdvances();
  await screen.copy.click();
  await partner.sees('Copiada · conéctate antes de las');
  expect(partner.complaints).toEqual([]);
  await page.goto(site.url);
  expect(await partner.clipboard()).toBe(site.streamBaseUrl + token);
});

test('signing in to another account in another tab stops the sound', async ({ partner, page }) => {
  await partner.signIn(0);
  await partner.play();
  const other = await partner.context.newPage();
  await other.route('**/assets/*.js', (route) => route.abort());
  await other.goto('/');
  // Otherwise the server refuses the made-up account, and the page signs out.
  await page.route('**/graphql', () => undefined);
  await other.evaluate(() =>
    localStorage.setItem('account', '{"logged":true,"id":"otra","company":"Radio Otra"}'),
  );
  await page.getByRole('heading', { name: 'Radio Otra' }).waitFor();
  // The token on record was made for the first account.
  await partner.status('Debes generar un Token');
  expect(await page.locator('audio[src]').count()).toBe(0);
});

test('where the browser refuses storage, a partner who reads to allow cookies, and does, can work', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await page.addInitScript(() => {
    const get = () => {
      throw new DOMException('made up', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'Worker'])
      Object.defineProperty(window, name, { get });
    for (const name of ['mediaSession', 'clipboard']) Object.defineProperty(navigator, name, { get });
  });
  await refuseCookies(partner);
  await page.goto('/');
  for (const act of [() => page.reload(), () => page.unrouteAll({ behavior: 'wait' })]) {
    await screen.signIn.waitFor();
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.sees('Tu navegador bloquea las cookies');
    await act();
  }
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  const token = await partner.createToken();
  await partner.play();
  await partner.soundAdvances();
  await screen.copy.click();
  await partner.sees('Copiada · conéctate antes de las');
  await screen.pause.click();
  await partner.status('Audio en pausa');
  await screen.signOut.click();
  await screen.signIn.waitFor();
  expect(partner.complaints).toEqual([]);
  const other = await partner.context.newPage();
  await other.goto(site.url);
  await partner.context.grantPermissions(['clipboard-read']);
  expect(await other.evaluate(() => navigator.clipboard.readText())).toBe(site.streamBaseUrl + token);
});

test('a page that is translated against its wish works like others', async ({ partner, page, screen }) => {
  await partner.signIn(0);
  expect(await page.locator('html').getAttribute('translate')).toBe('no');
  expect(await page.locator('meta[name=google]').getAttribute('content')).toBe('notranslate');
  await partner.play();
  await translate(page);
  await page.getByText('Tokens de hoy').click();
  const created = page.getByRole('listitem').filter({ hasText: 'Creado' });
  await created.first().waitFor();
  const before = await created.count();
  await partner.createToken();
  await expect.poll(() => screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
  await expect.poll(() => created.count()).toBe(before + 1);
  await partner.play();
  await partner.soundAdvances();
  expect(partner.complaints).toEqual([]);
});

async function translate(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const wrap = ${wrapTexts};
    const root = document.getElementById('root');
    wrap(root);
    new MutationObserver(() => wrap(root)).observe(root, { childList: true, subtree: true });
  })()`);
}
