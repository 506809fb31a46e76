import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tabIcon } from '../../../client/dashboard/tab.ts';

const TEXT = 4.5;
/** Required of controls, the ring and the focus (WCAG 2.2, 1.4.11). */
const GRAPHICS = 3;

const read = (file: string) => readFileSync(new URL(`../../../client/${file}`, import.meta.url), 'utf8');
const SCHEMES = schemesOf(read('styles/tokens.css'));

/** axe cannot judge text on a drawn pitch, nor lines; so each pair that comes together is judged here. */
const PAIRS: Array<[foregrounds: string[], backgrounds: string[], least: number]> = [
  [['ink', 'ink-soft', 'accent', 'accent-strong'], ['page', 'surface', 'sunken'], TEXT],
  [['danger'], ['surface', 'danger-surface'], TEXT],
  [['warning'], ['warning-surface'], TEXT],
  [['on-accent'], ['accent', 'accent-strong'], TEXT],
  [['chalk', 'chalk-soft'], ['pitch', 'pitch-stripe', 'pitch-deep'], TEXT],
  [['on-floodlight'], ['floodlight', 'chalk', 'card-yellow'], TEXT],
  [['control-line'], ['surface', 'sunken'], GRAPHICS],
  [['focus'], ['page', 'surface', 'sunken', 'warning-surface', 'danger-surface'], GRAPHICS],
  [['floodlight', 'card-yellow', 'card-red'], ['pitch', 'pitch-stripe', 'pitch-deep'], GRAPHICS],
];

test.each(['light', 'dark'])('the %s colours contrast enough wherever they meet', (scheme) => {
  const colours = SCHEMES[scheme];
  for (const [foregrounds, backgrounds, least] of PAIRS) {
    for (const foreground of foregrounds) {
      for (const background of backgrounds) {
        const found = contrast(colours?.[foreground], colours?.[background]);
        expect.soft(found, `${foreground} on ${background}`).toBeGreaterThanOrEqual(least);
      }
    }
  }
});

test('the colours that stylesheets cannot give are those of tokens.css', () => {
  const { light = {}, dark = {} } = SCHEMES;
  const themes = [...read('index.html').matchAll(/"theme-color" content="(.*?)"/g)].map(([, hex]) => hex);
  expect(themes).toEqual([light.page, dark.page]);
  const icons = [tabIcon('calm', 'heard'), tabIcon('calm', 'missing'), tabIcon('expired', 'off')];
  const [playing, silent, expired] = icons.map((icon) => decodeURIComponent(icon ?? ''));
  for (const green of [playing, read('layout/logo.svg')])
    expect(green).toMatch(new RegExp(`${light.pitch}.*${light.floodlight}`, 's'));
  expect(silent).toContain(light['card-yellow']);
  expect(expired).toMatch(new RegExp(`${light.danger}.*${light['on-accent']}`));
});

function schemesOf(css: string): Record<string, Record<string, string>> {
  const [day = '', night = ''] = css.split('@media (prefers-color-scheme: dark)');
  const light = coloursOf(day);
  return { light, dark: { ...light, ...coloursOf(night) } };
}

function coloursOf(css: string): Record<string, string> {
  return Object.fromEntries(
    [...css.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]),
  );
}

function contrast(one: string | undefined, other: string | undefined): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The relative luminance of WCAG. */
function luminance(hex: string | undefined): number {
  if (hex === undefined) throw new Error('There is no such colour');
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
