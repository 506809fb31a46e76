import { expect } from 'vitest';
import { STUDIO_HOST } from '../support/partnerSite.ts';
import { test } from './partnerTest.ts';

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
  await partner.signIn();
  await partner.createToken();
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
  await partner.status('Audio en pausa');
  expect(await page.locator('audio[src]').count()).toBe(0);
});
