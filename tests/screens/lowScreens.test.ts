import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '../support/partnerTest.ts';
import { LAPTOP, LOW_SCREENS, PHONES, type Size, SMALL_LAPTOP } from './screenSizes.ts';
import { failToCreate, LONG_NAME, withCompany, withNotice } from './screenStates.ts';

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
  for (const viewport of [{ width: 1366, height: 625 }, SMALL_LAPTOP, LAPTOP, { width: 1280, height: 800 }]) {
    await page.setViewportSize(viewport);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect.soft({ ...viewport, height }).toEqual(viewport);
  }
  await withCompany(partner, LONG_NAME);
  await partner.createToken();
  await partner.sees(LONG_NAME);
  await expectSeen(screen.copy, [{ width: 320, height: 568 }, { width: 360, height: 640 }, ...PHONES]);
});

test('a long company is read whole by touch and by keyboard, and at 400 %', async ({ partner, page }) => {
  await partner.signIn();
  const more = page.getByRole('button', { name: 'Nombre completo' });
  for (const length of [20, 60, 200]) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await withCompany(partner, LONG_NAME.slice(0, length));
    await page.reload();
    const name = page.getByRole('heading', { level: 1 });
    await partner.sees(LONG_NAME.slice(0, length));
    const isCut = () => name.evaluate((heading) => heading.scrollHeight > 1.4 * heading.clientHeight);
    // A window of 1280 by 1024 at 400 % has 320 by 256 pixels.
    for (const size of [{ width: 320, height: 256 }, ...PHONES]) {
      await page.setViewportSize(size);
      const state = `${length} letters at ${size.width}`;
      await expect.poll(async () => (await more.count()) > 0, { message: state }).toBe(await isCut());
      if (length === 20) expect(await isCut(), state).toBe(false);
      if (length === 200) expect(await isCut(), state).toBe(true);
      if (!(await isCut())) continue;
      await more.click();
      expect(await isCut(), state).toBe(false);
      await page.keyboard.press('Enter');
      await expect.poll(isCut, { message: state }).toBe(true);
    }
  }
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
