import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from '../support/partnerTest.ts';
import { held } from './held.ts';

const CLIENT = '**/assets/main-*.js';
const SCREENS = [
  ...[360, 768, 1280, 1920].map((width) => ({ width, height: 900 })),
  { width: 740, height: 360 },
  { width: 320, height: 568 },
];

describe('the picture that is shown before the client runs', () => {
  test('has the product’s name where the login screen has it', async ({ page, screen }) => {
    const name = page.getByRole('heading', { name: 'Audio Oficial Premium' });
    const places = async () => {
      const found = [];
      for (const viewport of SCREENS) {
        await page.setViewportSize(viewport);
        found.push({ viewport, place: await name.boundingBox() });
      }
      return found;
    };
    const start = await held(page, CLIENT);
    await page.goto('/', { waitUntil: 'commit' });
    await firstPicture(page);
    const before = await places();
    start();
    await screen.signIn.waitFor();
    expect(await places()).toEqual(before);
  });

  test('is not waited for on a hidden page', async ({ partner }) => {
    await partner.page.addInitScript(() => {
      Object.defineProperty(Document.prototype, 'hidden', { get: () => true });
      PerformanceObserver.prototype.observe = () => undefined;
    });
    await partner.page.goto('/');
    await partner.screen.signIn.waitFor();
  });
});

test('without JavaScript the page says what to do', async ({ site }) => {
  const partner = await site.newPartner({ javaScriptEnabled: false });
  await partner.page.goto('/dashboard');
  const message = partner.page.locator('main.card noscript p');
  expect(await message.isVisible()).toBe(true);
  expect(await message.textContent()).toContain('Esta página necesita JavaScript.');
  expect(await partner.page.locator('.spinner').isVisible()).toBe(false);
  await partner.close();
});

test('a browser that is too old runs none of the client', async ({ partner, page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(HTMLElement.prototype, 'inert'));
  await page.goto('/');
  const message = page.getByRole('alert');
  await message.waitFor();
  expect(await message.textContent()).toMatch(/Este navegador es demasiado antiguo/);
  expect(await page.getByRole('status').count()).toBe(0);
  expect(await page.locator('form').count()).toBe(0);
  expect(partner.complaints).toEqual([]);
});

async function firstPicture(page: Page): Promise<void> {
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
}
