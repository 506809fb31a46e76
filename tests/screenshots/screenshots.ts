import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { JOURNEYS, STATES, walk } from '../screens/screenStates.ts';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';

/** The pictures of `npm run screenshots` and a page with all of them. `ONLY=a,b` limits them to these states. */
const FOLDER = path.join(PROJECT_ROOT, 'dist', 'screenshots');
const ONLY = process.env.ONLY?.split(',');

type Look = {
  name: string;
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  scale?: number;
  media?: { colorScheme?: 'dark'; forcedColors?: 'active'; reducedMotion?: 'reduce' };
};

const LOOKS: Look[] = [
  { name: '320', width: 320, height: 568 },
  { name: '320-dark', width: 320, height: 568, media: { colorScheme: 'dark' } },
  { name: '390', width: 390, height: 844 },
  { name: '390-dark', width: 390, height: 844, media: { colorScheme: 'dark' } },
  { name: '768', width: 768, height: 1024 },
  { name: '768-dark', width: 768, height: 1024, media: { colorScheme: 'dark' } },
  { name: '800', width: 800, height: 600 },
  { name: '1280', width: 1280, height: 800 },
  { name: '1280-dark', width: 1280, height: 800, media: { colorScheme: 'dark' } },
  { name: '1366', width: 1366, height: 768 },
  { name: '1366-dark', width: 1366, height: 768, media: { colorScheme: 'dark' } },
  { name: '1920', width: 1920, height: 1080 },
  { name: '1920-dark', width: 1920, height: 1080, media: { colorScheme: 'dark' } },
  // A window of 1280 by 800 at 200 %: half as many CSS pixels, each twice as large.
  { name: 'zoom-200', width: 640, height: 400, scale: 2 },
  { name: 'forced-colors', width: 1280, height: 800, media: { forcedColors: 'active' } },
  {
    name: 'forced-colors-dark',
    width: 1280,
    height: 800,
    media: { forcedColors: 'active', colorScheme: 'dark' },
  },
  { name: 'reduced-motion', width: 1280, height: 800, media: { reducedMotion: 'reduce' } },
];

const isWanted = (state: string) => ONLY?.includes(state) ?? true;
const journeys = Object.entries(JOURNEYS).filter(([, journey]) => Object.keys(journey).some(isWanted));
let site: PartnerSite;

beforeAll(async () => {
  site = await startPartnerSite();
  if (!ONLY) await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
});
afterAll(async () => {
  await site.close();
  await writeFile(path.join(FOLDER, 'index.html'), gallery());
});

test.each(journeys)('%s', async (_title, journey) => {
  const partner = await site.newPartner();
  await walk(journey, partner, site, async (state) => {
    if (isWanted(state)) await takePictures(partner, state);
  });
  await partner.close();
});

async function takePictures({ context, page }: Partner, state: string): Promise<void> {
  const ownSize = page.viewportSize();
  const screen = await context.newCDPSession(page);
  for (const { name: look, width, height, scale = 1, media } of LOOKS) {
    await page.setViewportSize({ width, height });
    await screen.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: scale,
      mobile: false,
    });
    await page.emulateMedia({
      colorScheme: 'light',
      forcedColors: 'none',
      reducedMotion: 'no-preference',
      ...media,
    });
    // Overlays fade in and the frames of new messages fade out, also anew when motion is allowed again.
    await page.evaluate(() => {
      const fading = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations === 1);
      return Promise.allSettled(fading.map(({ finished }) => finished));
    });
    // Playwright's own screenshot ignores the scale.
    const { cssContentSize } = await screen.send('Page.getLayoutMetrics');
    const { data } = await screen.send('Page.captureScreenshot', {
      captureBeyondViewport: true,
      clip: { ...cssContentSize, scale: 1 },
    });
    await writeFile(path.join(FOLDER, file(state, look)), data, 'base64');
  }
  await screen.detach();
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' });
  if (ownSize) await page.setViewportSize(ownSize);
}

function file(state: string, look: string): string {
  return `${state}--${look}.png`;
}

function gallery(): string {
  const rows = Object.keys(STATES).map(
    (name) =>
      `<h2>${name}</h2>${LOOKS.map(({ name: look }) => `<img src="${file(name, look)}" alt="${look}" height="400">`).join('\n')}`,
  );
  return `<!doctype html><title>Screenshots</title>${rows.join('\n')}`;
}
