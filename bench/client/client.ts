import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { request } from 'undici';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import { CHROMIUM_FLAGS, requireTool } from '../../tests/support/testTools.ts';
import type { Benchmark, Effort, Table } from '../benchmark.ts';
import { difference, figure } from '../figures.ts';
import { PASSWORD, usernameOf } from '../requests.ts';
import { withTestbed } from '../testbed.ts';
import { lighthouseTable } from './lighthouse.ts';

const DEBUGGING_PORT = 9_333;
const ROUNDS = 10;

/** Measures what a partner waits for: the screens, by Lighthouse, and the time from the click on play to sound. */
export const clientBenchmark: Benchmark = (effort) =>
  withTestbed(async (testbed) => {
    const demo = await startDemoProvider({ host: '127.0.0.1', port: 0 });
    const app = await testbed.startApp({
      environment: { PROVIDER_TOKEN_URL: demo.tokenUrl, STREAM_BASE_URL: demo.streamBaseUrl },
    });
    const profile = await mkdtemp(path.join(tmpdir(), 'audio-bench-client-'));
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: requireTool('chromium'),
      args: [...CHROMIUM_FLAGS, `--remote-debugging-port=${DEBUGGING_PORT}`],
      baseURL: app.address,
      locale: 'es-ES',
    });
    try {
      const page = await browser.newPage();
      await signIn(page);
      const tables = [await clickToSound(page, effort)];
      if (!effort.smoke) {
        // Lighthouse drives the same browser, which holds the session for the dashboard.
        await page.goto('about:blank');
        const dashboard = await lighthouseTable(app.address + DASHBOARD_PATH, DEBUGGING_PORT);
        await signOut(page);
        tables.push(dashboard, await lighthouseTable(app.address + LOGIN_PATH, DEBUGGING_PORT));
      }
      return tables;
    } finally {
      await browser.close();
      await rm(profile, { recursive: true });
      await app.stop();
      await demo.close();
    }
  });

async function clickToSound(page: Page, { smoke }: Effort): Promise<Table> {
  const rounds: Array<{ soundMs: number; firstByteMs: number }> = [];
  await page.getByRole('button', { name: 'Crear Token' }).click();
  for (let round = 0; round < (smoke ? 1 : ROUNDS); round += 1) {
    await page.getByText('Audio en pausa').waitFor();
    const playing = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let clickedMs = 0;
          const options = { once: true, capture: true };
          document.addEventListener(
            'click',
            () => {
              clickedMs = performance.now();
            },
            options,
          );
          document.addEventListener('playing', () => resolve(performance.now() - clickedMs), options);
        }),
    );
    await page.getByRole('button', { name: 'Reproducir audio' }).click();
    const soundMs = await playing;
    const address = await page.evaluate(() => document.querySelector('audio')?.src ?? '');
    rounds.push({ soundMs, firstByteMs: await msToFirstByte(address) });
    await page.getByRole('button', { name: 'Pausar audio' }).click();
  }
  const firstByteMs = rounds.map((round) => round.firstByteMs);
  const soundMs = rounds.map((round) => round.soundMs);
  return {
    title: 'From the click on play to sound',
    rows: {
      "the provider's first byte of audio": { time: figure(firstByteMs, 'ms') },
      sound: { time: figure(soundMs, 'ms') },
      'sound, over the first byte': { time: difference(soundMs, firstByteMs, 'ms') },
    },
  };
}

async function msToFirstByte(address: string): Promise<number> {
  const startMs = performance.now();
  const { body } = await request(address);
  for await (const _ of body) break;
  return performance.now() - startMs;
}

async function signIn(page: Page): Promise<void> {
  await page.goto(LOGIN_PATH);
  await page.getByLabel('Correo electrónico').fill(usernameOf(0));
  await page.getByLabel('Contraseña').fill(PASSWORD);
  await page.getByRole('button', { name: 'iniciar sesión' }).click();
  await page.getByRole('button', { name: 'Crear Token' }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.goto(DASHBOARD_PATH);
  await page.getByRole('link', { name: 'Cerrar Sesión' }).click();
  await page.getByRole('button', { name: 'iniciar sesión' }).waitFor();
  await page.goto('about:blank');
}
