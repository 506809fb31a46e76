import { expect } from 'vitest';
import { test as base } from '../support/partnerTest.ts';
import { covered, cutOff, overlapping } from './screenChecks.ts';
import { JOURNEYS, walk } from './screenStates.ts';

const test = base.extend('siteOptions', { scope: 'file' }, () => ({ textSize: 200 }));

const HEIGHT = 640;
/** Windows of 320 and 414 pixels; for their text the others are as wide as one of 320 at 150 and at 125 %. */
const WIDTHS = [320, 414, 427, 512];

test.for(Object.entries(JOURNEYS))(
  'text of twice the size covers nothing and is cut off nowhere when %s',
  async ([, journey], { site, partner, page }) => {
    await page.setViewportSize({ width: 320, height: HEIGHT });
    await walk(journey, partner, site, async (state) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        expect.soft(await cutOff(page), `${state}, ${width} wide`).toEqual([]);
        expect.soft(await overlapping(page), `${state}, ${width} wide`).toEqual([]);
        expect.soft(await covered(page), `${state}, ${width} wide`).toEqual([]);
      }
    });
  },
);
