import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { LOW_SCREENS, PHONES } from './lowScreens.ts';
import { test } from './partnerTest.ts';
import { LONG_NAME, named, SCREEN_STATES, withNotice } from './screenStates.ts';

const FORM_STATES = [
  'signed-out',
  'field-errors',
  'wrong-credentials',
  'limited',
  'cookies-blocked',
  'signed-out-elsewhere',
];

test('on low screens the login form is visible down to its button without scrolling', async ({
  page,
  screen,
}) => {
  await page.goto('/');
  await screen.signIn.waitFor();
  await expectSeen(screen.signIn, LOW_SCREENS);
});

test('no message moves the button of the login form', async ({ site, partner, page, screen }) => {
  const places: Record<string, unknown> = {};
  await page.setViewportSize({ width: 320, height: 568 });
  for (const { name, show } of SCREEN_STATES) {
    if (!FORM_STATES.includes(name)) continue;
    await show(partner, site);
    places[name] = await screen.signIn.boundingBox();
    await page.unrouteAll();
  }
  expect(Object.keys(places)).toEqual(FORM_STATES);
  for (const name of FORM_STATES) expect.soft(places[name], name).toEqual(places['signed-out']);
});

test('the dashboard’s buttons need no scrolling on low screens', async ({ partner, page, screen }) => {
  await partner.signIn();
  const laptop = { width: 1024, height: 640 };
  await expectSeen(screen.createToken, [...LOW_SCREENS, laptop]);
  await expectSeen(screen.copy, [laptop, { width: 800, height: 600 }]);
  for (const viewport of [
    { width: 1366, height: 625 },
    { width: 1280, height: 593 },
  ]) {
    await page.setViewportSize(viewport);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect.soft({ ...viewport, height }).toEqual(viewport);
  }
});

test('a notice and a second token need no scrolling on a laptop', async ({ partner, page }) => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await withNotice(partner);
  await partner.signIn();
  await partner.createToken();
  await partner.createToken();
  await page.getByText('URL anterior', { exact: true }).waitFor();
  await page.getByText('Aviso desde las').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(768);
});

test('on phones the button that copies the URL is visible without scrolling', async ({ partner, screen }) => {
  await named(partner, LONG_NAME);
  await partner.signIn();
  await partner.createToken();
  await expectSeen(screen.copy, [{ width: 320, height: 568 }, { width: 360, height: 640 }, ...PHONES]);
  await expectSeen(screen.createToken, LOW_SCREENS);
});

test('on low screens the dashboard’s buttons stay in place through a token’s life', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await partner.signIn();
  const buttons = [screen.createToken, screen.copy, screen.volume, screen.signOut];
  const parts = await Promise.all(buttons.map((button) => button.elementHandle()));
  const places = async () => {
    const found: Record<string, unknown> = {};
    for (const { width, height } of [...LOW_SCREENS, ...PHONES, { width: 1280, height: 593 }]) {
      await page.setViewportSize({ width, height });
      found[`${width} × ${height}`] = await page.evaluate(
        (elements) =>
          elements.map((element) => {
            const { left = Number.NaN, top = Number.NaN } = element?.getBoundingClientRect() ?? {};
            return [left + scrollX, top + scrollY];
          }),
        parts,
      );
    }
    return found;
  };
  await page.clock.install();
  const before = await places();
  await partner.createToken();
  expect(await places()).toEqual(before);
  await partner.play();
  expect(await places()).toEqual(before);
  await screen.pause.click();
  // Two presses in quick succession are one.
  await page.clock.runFor(500);
  await site.providerDown();
  try {
    await screen.play.click();
    await screen.createToken.click();
    await page.getByText('El proveedor de audio no responde').waitFor();
    await page.getByText('Reconectando').waitFor();
    expect(await places()).toEqual(before);
  } finally {
    await site.providerUp();
  }
  const headers = { 'access-control-allow-origin': '*' };
  await page.route(`${new URL(site.streamBaseUrl).origin}/**`, (route) =>
    route.fulfill({ status: 403, headers }),
  );
  await partner.sees('Quizá el Token expiró');
  expect(await places()).toEqual(before);
  await page.clock.fastForward('20:00');
  await expect.poll(() => screen.countdown.textContent()).toBe('00:00');
  expect(await places()).toEqual(before);
});

/** Expects the lower edge of the element within each screen, on a page that is not scrolled. */
async function expectSeen(
  element: Locator,
  screens: Array<{ width: number; height: number }>,
): Promise<void> {
  for (const viewport of screens) {
    await element.page().setViewportSize(viewport);
    expect(await element.page().evaluate(() => scrollY)).toBe(0);
    const { y, height } = (await element.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
    expect.soft(y + height, `on ${viewport.width} × ${viewport.height}`).toBeLessThanOrEqual(viewport.height);
  }
}
