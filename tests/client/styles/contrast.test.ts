import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const TEXT = 4.5;
/** Required of controls, the ring and the focus (WCAG 2.2, 1.4.11). */
const GRAPHICS = 3;

const VARIABLES = new URL('../../../client/styles/variables.css', import.meta.url);
const SCHEMES = schemesOf(readFileSync(VARIABLES, 'utf8'));

/** The pairs that axe cannot judge: text on a drawn pitch, and lines. */
const PAIRS: Array<[foregrounds: string[], backgrounds: string[], least: number]> = [
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
