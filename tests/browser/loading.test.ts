import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { ACCOUNT } from '../support/testApp.ts';
import { held } from './held.ts';
import { LOW_SCREENS } from './lowScreens.ts';
import { test } from './partnerTest.ts';

const CLIENT = '**/assets/main-*.js';
const DASHBOARD = '**/assets/Dashboard-*.js';
const SCREENS = [...[360, 768, 1280, 1920].map((width) => ({ width, height: 900 })), ...LOW_SCREENS];

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

  test('stays unchanged until the dashboard is loaded', async ({ partner, page, screen }) => {
    await partner.signIn();
    const start = await held(page, CLIENT);
    const load = await held(page, DASHBOARD);
    const asked = page.waitForRequest(DASHBOARD);
    await page.goto('/dashboard', { waitUntil: 'commit' });
    await firstPicture(page);
    const root = page.locator('#root');
    expect(await root.locator('input, textarea, button').count()).toBe(0);
    await root.locator('main').evaluate((main) => main.setAttribute('data-served', ''));
    start();
    await asked;
    await painted(page);
    expect(await root.locator('main[data-served]').count()).toBe(1);
    load();
    await screen.createToken.waitFor();
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

test('the login screen signs a partner in while the dashboard’s code is still loading', async ({
  partner,
  page,
  screen,
}) => {
  const load = await held(page, DASHBOARD);
  await page.goto('/');
  await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
  await page.waitForURL('**/dashboard');
  expect(await page.getByText('Iniciando sesión').isVisible()).toBe(true);
  load();
  await screen.createToken.waitFor();
});

test('a dashboard whose code cannot be loaded offers to load the page again', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  await page.route(DASHBOARD, (route) => route.abort());
  await page.reload();
  const reload = page.getByRole('button', { name: 'Volver a cargar' });
  await reload.waitFor();
  expect(await page.title()).toBe('Algo salió mal · Audio Oficial Premium');
  await page.unroute(DASHBOARD);
  await reload.click();
  await screen.createToken.waitFor();
});

test('without JavaScript the page says what to do', async ({ site }) => {
  const partner = await site.newPartner({ javaScriptEnabled: false });
  await partner.page.goto('/dashboard');
  const message = partner.page.locator('main.card noscript p');
  expect(await message.isVisible()).toBe(true);
  expect(await message.textContent()).toContain('Esta página necesita JavaScript.');
  expect(await partner.page.locator('.spinner').isVisible()).toBe(false);
  await partner.context.close();
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

/** Waits until the page's present state was painted. */
function painted(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}
