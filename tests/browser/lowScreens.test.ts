import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LOW_SCREENS } from '../support/lowScreens.ts';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';

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
});

/** Where it ends, in pixels from the top of a page that is not scrolled. */
async function bottomOf(element: Locator): Promise<number> {
  expect(await element.page().evaluate(() => scrollY)).toBe(0);
  const box = await element.boundingBox();
  return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN);
}
