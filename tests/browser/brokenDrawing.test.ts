import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { wrapTexts } from '../client/wrapTexts.ts';
import { test } from './partnerTest.ts';
import { breakDashboard, breakPlayerPanel } from './screenStates.ts';

test.beforeEach(async ({ partner }) => {
  await partner.signIn();
  await partner.createToken();
  await partner.play();
});

test('a translated page works like others', async ({ partner, page, screen }) => {
  await translate(page);
  await page.getByText('Tokens de hoy').click();
  await page.getByRole('listitem').filter({ hasText: 'Creado' }).waitFor();
  await partner.createToken();
  await expect.poll(() => screen.countdown.textContent()).toMatch(/^1\d : \d\d$/);
  await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Creado' }).count()).toBe(2);
  await partner.play();
  await partner.soundAdvances();
  expect(partner.complaints).toEqual([]);
});

test('the sound outlives its panel', async ({ partner, page, screen }) => {
  await breakPlayerPanel(partner);
  await page.getByRole('alert').filter({ hasText: 'Algo salió mal' }).waitFor();
  await partner.soundAdvances();
  await screen.createToken.waitFor();
});

test('the sound outlives the whole dashboard', async ({ partner, page }) => {
  await breakDashboard(partner);
  await page.getByRole('heading', { name: 'Algo salió mal' }).waitFor();
  await partner.soundAdvances();
});

test('the page asks not to be translated', async ({ page }) => {
  await page.goto('/');
  expect(await page.locator('html').getAttribute('translate')).toBe('no');
  expect(await page.locator('meta[name=google]').getAttribute('content')).toBe('notranslate');
});

/** Translates the page as Chrome does, now and whenever a text appears. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const wrap = ${wrapTexts};
    const root = document.getElementById('root');
    wrap(root);
    new MutationObserver(() => wrap(root)).observe(root, { childList: true, subtree: true });
  })()`);
}
