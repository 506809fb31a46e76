import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Partner } from '../support/partnerSite.ts';
import { test } from '../support/partnerTest.ts';
import { covered, cutOff } from './screenChecks.ts';
import {
  LAPTOP,
  LOW_SCREENS,
  PHONES,
  type Size,
  SMALL_LAPTOP,
  SMALLEST,
  TALL_PHONES,
} from './screenSizes.ts';
import { JOURNEYS, walk } from './screenStates.ts';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVERY_RULE: axe.RunOptions = { rules: { 'target-size': { enabled: true } } };
/** By night only the colors differ. */
const RULES_OF_COLOR: axe.RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] };
const SPACED_TEXT =
  'body, body * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } ' +
  'p { margin-bottom: 2em !important }';
const NARROW = { width: 320, height: 640 };
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

/** Buttons that stand at the same places, at each size, in all of a group's states. */
type StillButtons = { states: string[]; sizes: Size[]; buttonsOf(screen: Partner['screen']): Locator[] };

const STILL_BUTTONS: StillButtons[] = [
  {
    states: ['signed-out', 'field-errors', 'limited', 'cookies-blocked', 'signed-out-elsewhere'],
    sizes: [SMALLEST],
    buttonsOf: ({ signIn }) => [signIn],
  },
  {
    states: ['no-token', 'active', 'playing', 'refused', 'provider-failing', 'expired'],
    sizes: [...LOW_SCREENS, ...PHONES, SMALL_LAPTOP],
    buttonsOf: ({ createToken, copy, volume, signOut }) => [createToken, copy, volume, signOut],
  },
  {
    states: ['playing', 'lost-for-good', 'paused-outside'],
    sizes: [...TALL_PHONES, LAPTOP],
    buttonsOf: ({ createToken, copy, volume }) => [createToken, copy, volume],
  },
];
const firstPlaces = new Map<StillButtons, { state: string; places: unknown }>();

test.for(Object.entries(JOURNEYS))(
  'every screen is accessible, can be operated and moves no button when %s',
  async ([, journey], { site, partner, page }) => {
    await page.setViewportSize(WIDE);
    await walk(journey, partner, site, async (name) => {
      await expectUsable(page, name);
      await expectButtonsInPlace(partner, name);
    });
  },
);

test.for(['/docs/api', '/docs/players'])(
  'the page %s is accessible on phones and computers, and scrolls down only',
  async (path, { page }) => {
    await page.goto(path);
    await page.evaluate(AXE);
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size);
      expect(await violations(page, EVERY_RULE)).toEqual([]);
    }
    const sideways = await page.evaluate(() =>
      [...document.querySelectorAll('html, table')].map((part) => part.scrollWidth - part.clientWidth),
    );
    expect(Math.max(...sideways)).toBe(0);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, RULES_OF_COLOR)).toEqual([]);
  },
);

/** Expects that everyone can use the page as it is now, and leaves it so. A failure names `state`. */
async function expectUsable(page: Page, state: string): Promise<void> {
  expect.soft(await linksThatEndSound(page), state).toEqual([]);
  expect.soft(await covered(page), `${state}, wide`).toEqual([]);
  await loadAxe(page);
  expect.soft(await violations(page, EVERY_RULE), state).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect.soft(await violations(page, RULES_OF_COLOR), `${state}, by night`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  expect.soft(await unframed(page), `${state}, in forced colours`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.setViewportSize(PHONE);
  expect.soft(await covered(page), `${state}, on a phone`).toEqual([]);
  await page.setViewportSize(NARROW);
  expect.soft(await covered(page), `${state}, narrow`).toEqual([]);
  expect.soft(await cutOff(page), `${state}, narrow`).toEqual([]);
  await spaceText(page);
  for (const size of [NARROW, PHONE, WIDE]) {
    await page.setViewportSize(size);
    expect.soft(await cutOff(page), `${state}, with spaced text, ${size.width} wide`).toEqual([]);
  }
  await unspaceText(page);
}

/** Expects that no button has moved since another state, in which an earlier journey may have been. */
async function expectButtonsInPlace({ page, screen }: Partner, state: string): Promise<void> {
  for (const group of STILL_BUTTONS.filter(({ states }) => states.includes(state))) {
    // Found once: a search by role and name takes longer than all the rest.
    const buttons = await Promise.all(group.buttonsOf(screen).map((button) => button.elementHandle()));
    const places = [];
    for (const size of group.sizes) {
      await page.setViewportSize(size);
      places.push(await page.evaluate(placesAtTop, buttons));
    }
    await page.setViewportSize(WIDE);
    const first = firstPlaces.get(group) ?? { state, places };
    firstPlaces.set(group, first);
    expect.soft(places, `buttons in ${state}, compared with ${first.state}`).toEqual(first.places);
  }
}

/** Scrolls to the top and returns where these elements are then; in the page. */
function placesAtTop(elements: (Node | null)[]): unknown[] {
  scrollTo(0, 0);
  return elements.map((element) => element instanceof Element && element.getBoundingClientRect().toJSON());
}

async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
}

/** Returns what a colour marks as an alarm, an expiry, an error or the next thing to do, and no second frame marks. */
function unframed(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        '.pitch--missing, .pitch__alarm, .play--next, .button--primary, .clock--last, .clock--expired, [aria-invalid=true]',
      ),
    ]
      .filter((element) => {
        const { outlineStyle, outlineWidth, borderTopWidth } = getComputedStyle(element);
        const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
        return element.checkVisibility() && !hasOutline && Number.parseFloat(borderTopWidth) < 4;
      })
      .map((element) => element.outerHTML.slice(0, 100)),
  );
}

/**
 * Returns the links that open another page in place of this one, though sound may play here. The sign-out ends it on
 * purpose; the pages of messages have none.
 */
function linksThatEndSound(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('a:not([target=_blank], [download], .dashboard__footer *)')]
      .filter((link) => !link.matches('.message-card *, .shell *'))
      .map((link) => link.outerHTML),
  );
}

/** Spaces text as WCAG 2.2, 1.4.12 lets readers do. */
function spaceText(page: Page): Promise<void> {
  return page.evaluate((rule) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    document.adoptedStyleSheets = [sheet];
  }, SPACED_TEXT);
}

function unspaceText(page: Page): Promise<void> {
  return page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
}

function violations(page: Page, rules: axe.RunOptions): Promise<string[]> {
  return page.evaluate(
    async (options) => {
      const { violations: found } = await window.axe.run(options);
      return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    { ...rules, resultTypes: ['violations' as const] },
  );
}
