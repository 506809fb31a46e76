import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './partnerTest.ts';
import { LAPTOP, LOW_SCREENS, PHONES, type Size, SMALL_LAPTOP } from './screenSizes.ts';
import { failToCreate, LONG_NAME, named, withNotice } from './screenStates.ts';

test('on low screens the login form is visible down to its button without scrolling', async ({
  page,
  screen,
}) => {
  await page.goto('/');
  await screen.signIn.waitFor();
  await expectSeen(screen.signIn, LOW_SCREENS);
});

test('on phones a failed creation stands below the words on what one costs', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn(0);
  await partner.play();
  await failToCreate(partner);
  const cost = page.getByText('Crear otro Token pausa el audio.');
  const failure = page.getByText('El proveedor de audio no responde');
  for (const size of [...PHONES, { width: 320, height: 568 }]) {
    await page.setViewportSize(size);
    const boxes = await Promise.all([cost, failure, screen.copy].map((part) => part.boundingBox()));
    const edges = boxes.flatMap((box) => (box === null ? [] : [box.y, box.y + box.height]));
    expect.soft(edges, `at ${size.width}`).toHaveLength(6);
    expect.soft(edges, `at ${size.width}`).toEqual(edges.toSorted((one, other) => one - other));
  }
});

test('the dashboard’s buttons need no scrolling on low screens, even below a long name', async ({
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  const laptop = { width: 1024, height: 640 };
  await expectSeen(screen.createToken, [...LOW_SCREENS, laptop]);
  await expectSeen(screen.copy, [laptop, { width: 800, height: 600 }]);
  for (const viewport of [{ width: 1366, height: 625 }, SMALL_LAPTOP]) {
    await page.setViewportSize(viewport);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect.soft({ ...viewport, height }).toEqual(viewport);
  }
  await named(partner, LONG_NAME);
  await partner.createToken();
  await partner.sees(LONG_NAME);
  await expectSeen(screen.copy, [{ width: 320, height: 568 }, { width: 360, height: 640 }, ...PHONES]);
});

test('a notice and a second token need no scrolling on a laptop', async ({ partner, page }) => {
  await page.setViewportSize(LAPTOP);
  await withNotice(partner);
  await partner.signIn(0);
  await partner.createToken();
  await page.getByText('URL anterior', { exact: true }).waitFor();
  await page.getByText('Aviso desde las').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(768);
});

/** Expects the lower edge of the element within each screen, on a page that is not scrolled. */
async function expectSeen(element: Locator, screens: readonly Size[]): Promise<void> {
  const found = await element.elementHandle();
  for (const viewport of screens) {
    await element.page().setViewportSize(viewport);
    expect(await element.page().evaluate(() => scrollY)).toBe(0);
    const { y, height } = (await found?.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
    expect.soft(y + height, `on ${viewport.width} × ${viewport.height}`).toBeLessThanOrEqual(viewport.height);
  }
}
