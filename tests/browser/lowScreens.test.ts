import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { Partner, PartnerSite } from '../support/partnerSite.ts';
import { test } from './partnerTest.ts';
import { LONG_NAME, named, STATES, withNotice } from './screenStates.ts';

type Size = { width: number; height: number };

/** Old laptops, phones upright and on their side, and a window of 1280 by 800 at 200 %, in the page's pixels. */
const LOW_SCREENS = [
  { width: 1024, height: 768 },
  { width: 800, height: 600 },
  { width: 360, height: 640 },
  { width: 320, height: 568 },
  { width: 740, height: 360 },
  { width: 640, height: 400 },
];
const TALL_PHONES = [
  { width: 390, height: 844 },
  { width: 412, height: 915 },
];
const PHONES = [...TALL_PHONES, { width: 360, height: 740 }];
const LAPTOP = { width: 1366, height: 768 };
const SMALL_LAPTOP = { width: 1280, height: 593 };

test('on low screens the login form is visible down to its button without scrolling', async ({
  page,
  screen,
}) => {
  await page.goto('/');
  await screen.signIn.waitFor();
  await expectSeen(screen.signIn, LOW_SCREENS);
});

test('no message moves the button of the login form', async ({ site }) => {
  const states = ['signed-out', 'field-errors', 'limited', 'cookies-blocked', 'signed-out-elsewhere'];
  await expectInPlace(site, states, [{ width: 320, height: 568 }], ({ signIn }) => [signIn]);
});

test('on low screens the dashboard’s buttons stay in place through a token’s life', async ({ site }) => {
  const states = ['no-token', 'active', 'playing', 'refused', 'provider-failing', 'expired'];
  await expectInPlace(
    site,
    states,
    [...LOW_SCREENS, ...PHONES, SMALL_LAPTOP],
    ({ createToken, copy, volume, signOut }) => [createToken, copy, volume, signOut],
  );
});

test('the dashboard’s buttons stay in place when sound is lost', async ({ site }) => {
  const states = ['playing', 'lost-for-good', 'paused-outside'];
  await expectInPlace(site, states, [...TALL_PHONES, LAPTOP], ({ createToken, copy, volume }) => [
    createToken,
    copy,
    volume,
  ]);
});

test('on a phone the player stays in view when it is paused after the token expired', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await STATES['expired-while-playing']?.(partner, site);
  await page.setViewportSize({ width: 390, height: 844 });
  await screen.pause.click();
  await partner.status('Debes generar un Token');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('token-heading');
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('on phones a failed creation stands below the words on what one costs', async ({
  site,
  partner,
  page,
  screen,
}) => {
  await STATES['creation-failed-while-playing']?.(partner, site);
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

test('the dashboard’s buttons need no scrolling on low screens', async ({ partner, page, screen }) => {
  await partner.signIn();
  const laptop = { width: 1024, height: 640 };
  await expectSeen(screen.createToken, [...LOW_SCREENS, laptop]);
  await expectSeen(screen.copy, [laptop, { width: 800, height: 600 }]);
  for (const viewport of [{ width: 1366, height: 625 }, SMALL_LAPTOP]) {
    await page.setViewportSize(viewport);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect.soft({ ...viewport, height }).toEqual(viewport);
  }
});

test('a notice and a second token need no scrolling on a laptop', async ({ partner, page }) => {
  await page.setViewportSize(LAPTOP);
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
});

/** Expects the buttons at the same places in all these states. */
async function expectInPlace(
  site: PartnerSite,
  states: string[],
  sizes: Size[],
  buttonsOf: (screen: Partner['screen']) => Locator[],
): Promise<void> {
  const places: Record<string, unknown> = {};
  for (const name of states) {
    const partner = await site.newPartner();
    await STATES[name]?.(partner, site);
    // Found once: a search by role and name takes longer than all the rest.
    const buttons = await Promise.all(buttonsOf(partner.screen).map((button) => button.elementHandle()));
    const found = [];
    for (const size of sizes) {
      await partner.page.setViewportSize(size);
      await partner.page.evaluate(() => scrollTo(0, 0));
      found.push(await Promise.all(buttons.map((button) => button?.boundingBox())));
    }
    places[name] = found;
    await partner.context.close();
  }
  for (const name of states) expect.soft(places[name], name).toEqual(places[states[0] ?? '']);
}

/** Expects the lower edge of the element within each screen, on a page that is not scrolled. */
async function expectSeen(element: Locator, screens: Size[]): Promise<void> {
  const found = await element.elementHandle();
  for (const viewport of screens) {
    await element.page().setViewportSize(viewport);
    expect(await element.page().evaluate(() => scrollY)).toBe(0);
    const { y, height } = (await found?.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
    expect.soft(y + height, `on ${viewport.width} × ${viewport.height}`).toBeLessThanOrEqual(viewport.height);
  }
}
