import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';
import { LOW_SCREENS } from './lowScreens.ts';

let site: PartnerSite;
let partner: Partner;

beforeAll(async () => {
  site = await startPartnerSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  partner = await site.newPartner();
});
afterEach(() => partner.context.close());

describe('without scrolling', () => {
  test.each(LOW_SCREENS)('the form is seen to its button on $width × $height', async (viewport) => {
    const { page, screen } = partner;
    await page.setViewportSize(viewport);
    await page.goto('/');
    await screen.signIn.waitFor();
    expect(await bottomOf(screen.signIn)).toBeLessThanOrEqual(viewport.height);
  });

  test.each([...LOW_SCREENS, { width: 1024, height: 640 }, { width: 1280, height: 720 }])(
    'Crear Token is seen on $width × $height',
    async (viewport) => {
      await partner.page.setViewportSize(viewport);
      await partner.signIn();
      expect(await bottomOf(partner.screen.createToken)).toBeLessThanOrEqual(viewport.height);
    },
  );

  test.each([
    { width: 1024, height: 768 },
    { width: 1024, height: 640 },
    { width: 800, height: 600 },
  ])('Copiar URL is seen on $width × $height', async (viewport) => {
    await partner.page.setViewportSize(viewport);
    await partner.signIn();
    expect(await bottomOf(partner.screen.copy)).toBeLessThanOrEqual(viewport.height);
  });

  test.each([
    { width: 1366, height: 657 },
    { width: 1366, height: 625 },
    { width: 1280, height: 720 },
    { width: 1280, height: 593 },
  ])('all of the dashboard is seen on $width × $height', async ({ width, height }) => {
    const { page } = partner;
    await page.setViewportSize({ width, height });
    await partner.signIn();
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
  });
});

test('nothing moves on them when a token is made, is refused or expires', async () => {
  const { page, screen } = partner;
  const places = async () => {
    const found: Record<string, unknown> = {};
    for (const { width, height } of [...LOW_SCREENS, { width: 1280, height: 593 }]) {
      await page.setViewportSize({ width, height });
      for (const part of ['createToken', 'copy', 'volume', 'signOut'] as const) {
        found[`${part} on ${width} × ${height}`] = await screen[part].evaluate((element) => {
          const { left, top } = element.getBoundingClientRect();
          return [left + scrollX, top + scrollY];
        });
      }
    }
    return found;
  };
  await partner.signIn();
  await page.clock.install();
  const before = await places();
  await partner.createToken();
  expect(await places()).toEqual(before);
  await site.providerDown();
  try {
    await screen.play.click();
    await screen.createToken.click();
    await page.getByText('El proveedor de audio no responde').waitFor();
    await page.getByText('Reintentando').waitFor();
    expect(await places()).toEqual(before);
  } finally {
    await site.providerUp();
  }
  await page.clock.fastForward('20:00');
  await expect.poll(() => screen.countdown.textContent()).toBe('00:00');
  expect(await places()).toEqual(before);
});

/** Where it ends, in pixels from the top of a page that is not scrolled. */
async function bottomOf(element: Locator): Promise<number> {
  expect(await element.page().evaluate(() => scrollY)).toBe(0);
  const box = await element.boundingBox();
  return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN);
}
