import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { request } from 'undici';
import { z } from 'zod';
import { clientCosts } from '../../scripts/clientBudget.ts';
import { ROOT } from '../../scripts/steps.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { CHROMIUM_FLAGS, requireChromium } from '../../tests/support/testTools.ts';
import type { Benchmark, Effort, Table } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { ACCOUNT, openWorld, startApp } from '../world.ts';

/** Fetched when it is asked for: with all that it brings it would double what `npm ci` installs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const SCREENS = ['/', '/dashboard'];
const DEBUGGING_PORT = 9_333;

const REPORT = z.object({
  categories: z.record(z.string(), z.object({ score: z.number() })),
  audits: z.record(z.string(), z.object({ numericValue: z.number().optional() })),
});

/** What a partner waits for: bytes and requests until the screens are usable, Lighthouse, and from the click to the sound. */
export const clientBenchmark: Benchmark = {
  name: 'client',
  async run(effort) {
    const world = await openWorld();
    const demo = await startDemoProvider({ host: '127.0.0.1', port: 0 });
    const app = await startApp(world, {
      PROVIDER_TOKEN_URL: demo.tokenUrl,
      STREAM_BASE_URL: demo.streamBaseUrl,
    });
    const profile = await mkdtemp(path.join(tmpdir(), 'audio-bench-client-'));
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: requireChromium(),
      args: [...CHROMIUM_FLAGS, `--remote-debugging-port=${DEBUGGING_PORT}`],
      baseURL: app.address,
      locale: 'es-ES',
    });
    try {
      const page = await browser.newPage();
      const tables = [bytesByPart(), await transferred(page), await soundAfterClick(page, effort)];
      // The last, for it needs what it is run with, and the others do not.
      if (!effort.smoke) tables.push(await lighthouse(app.address, page));
      return tables;
    } finally {
      await browser.close();
      await rm(profile, { recursive: true });
      await app.stop();
      await demo.close();
      await world.close();
    }
  },
};

/** Of the client that the server has just built, where it was out of date. */
function bytesByPart(): Table {
  const { parts, totals } = clientCosts(path.join(ROOT, 'dist', 'client'));
  const rowOf = (name: string, bytes: number) => ({
    name,
    figures: { size: { unit: 'kB', values: [bytes / 1_000] } },
  });
  return {
    title: 'The built client, as brotli sends it',
    rows: [
      ...parts.map(({ name, bytes }) => rowOf(name.replace(/-[\w-]{8}\./, '.'), bytes)),
      rowOf('JavaScript that blocks the login', totals['blocking JavaScript, bytes']),
      rowOf('all JavaScript of both screens', totals['all JavaScript, bytes']),
    ],
  };
}

/** Everything that a browser with nothing in its cache fetches for a screen, as it goes over the wire. */
async function transferred(page: Page): Promise<Table> {
  const rows: Table['rows'] = [];
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  for (const screen of SCREENS) {
    if (screen === '/dashboard') await signIn(page);
    await session.send('Network.clearBrowserCache');
    let requests = 0;
    let bytes = 0;
    const asked = ({ request }: { request: { url: string } }) => {
      if (!request.url.startsWith('data:')) requests += 1;
    };
    const finished = ({ encodedDataLength }: { encodedDataLength: number }) => {
      bytes += encodedDataLength;
    };
    session.on('Network.requestWillBeSent', asked);
    session.on('Network.loadingFinished', finished);
    await page.goto(screen, { waitUntil: 'networkidle' });
    session.off('Network.requestWillBeSent', asked);
    session.off('Network.loadingFinished', finished);
    rows.push({
      name: screen,
      figures: {
        requests: { unit: '', values: [requests] },
        transferred: { unit: 'kB', values: [bytes / 1_000] },
      },
    });
  }
  return { title: 'Until a screen is at rest, nothing cached, headers included', rows };
}

/** Against the provider's own time to its first audio. */
async function soundAfterClick(page: Page, { smoke }: Effort): Promise<Table> {
  const clickToSound: number[] = [];
  const firstAudio: number[] = [];
  await page.getByRole('button', { name: 'Crear Token' }).click();
  const play = page.getByRole('button', { name: 'Reproducir audio' });
  await page.getByText('Audio en pausa').waitFor();
  for (let round = 0; round < (smoke ? 1 : 10); round += 1) {
    await page.evaluate(() => {
      const audio = document.querySelector('audio');
      const button = document.querySelector<HTMLButtonElement>('button.play');
      Object.assign(window, {
        clickToSound: new Promise((resolve) => {
          button?.addEventListener(
            'click',
            () => {
              const clickedAt = performance.now();
              audio?.addEventListener('playing', () => resolve(performance.now() - clickedAt), {
                once: true,
              });
            },
            { once: true, capture: true },
          );
        }),
      });
    });
    await play.click();
    clickToSound.push(
      await page.evaluate(() => (window as Window & { clickToSound?: Promise<number> }).clickToSound ?? NaN),
    );
    const address = await page.evaluate(() => document.querySelector('audio')?.src ?? '');
    firstAudio.push(await msToFirstByte(address));
    await page.getByRole('button', { name: 'Pausar audio' }).click();
    await page.getByText('Audio en pausa').waitFor();
  }
  return {
    title: 'From the click on play to sound',
    rows: [
      { name: "the provider's first byte of audio", figures: { time: { unit: 'ms', values: firstAudio } } },
      {
        name: 'sound',
        figures: {
          time: { unit: 'ms', values: clickToSound },
          over: {
            unit: 'ms',
            values: clickToSound.map((ms, round) => ms - (firstAudio[round] ?? Number.NaN)),
          },
        },
      },
    ],
  };
}

async function msToFirstByte(address: string): Promise<number> {
  const startMs = performance.now();
  const { body } = await request(address);
  for await (const _ of body) break;
  return performance.now() - startMs;
}

/** The median of five, as a mobile phone on a slow line. */
async function lighthouse(origin: string, page: Page): Promise<Table> {
  await page.goto('about:blank');
  const rows: Table['rows'] = [];
  for (const screen of SCREENS.toReversed()) {
    if (screen === '/') {
      await page.goto('/dashboard');
      await page.getByRole('link', { name: 'Cerrar Sesión' }).click();
      await page.getByRole('button', { name: 'iniciar sesión' }).waitFor();
      await page.goto('about:blank');
    }
    const reports: z.infer<typeof REPORT>[] = [];
    for (let round = 0; round < 5; round += 1) reports.push(await lighthouseOf(origin + screen));
    const score = (name: string): Figure => ({
      unit: '',
      values: reports.map(({ categories }) => (categories[name]?.score ?? 0) * 100),
    });
    const audit = (name: string, unit: string): Figure => ({
      unit,
      values: reports.map(({ audits }) => audits[name]?.numericValue ?? Number.NaN),
    });
    rows.push({
      name: screen,
      figures: {
        performance: score('performance'),
        accessibility: score('accessibility'),
        'best practices': score('best-practices'),
        SEO: score('seo'),
        LCP: audit('largest-contentful-paint', 'ms'),
        CLS: audit('cumulative-layout-shift', ''),
        TBT: audit('total-blocking-time', 'ms'),
      },
    });
  }
  return { title: 'Lighthouse, a mobile phone on a slow line', rows };
}

/** The HTTP cache is emptied, cookies and the account record stay. */
async function lighthouseOf(address: string): Promise<z.infer<typeof REPORT>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-bench-lighthouse-'));
  const file = path.join(folder, 'report.json');
  try {
    await promisify(execFile)('npx', [
      '--yes',
      LIGHTHOUSE,
      address,
      `--port=${DEBUGGING_PORT}`,
      // Twice, or its command line takes no list.
      '--clear-storage-types=cache_storage',
      '--clear-storage-types=shader_cache',
      '--output=json',
      `--output-path=${file}`,
      '--quiet',
    ]);
    return REPORT.parse(JSON.parse(await readFile(file, 'utf8')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Correo electrónico').fill(ACCOUNT.username);
  await page.getByLabel('Contraseña').fill(ACCOUNT.password);
  await page.getByRole('button', { name: 'iniciar sesión' }).click();
  await page.getByRole('button', { name: 'Crear Token' }).waitFor();
}
