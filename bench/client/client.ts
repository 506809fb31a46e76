import { chromium, type Page } from 'playwright-core';
import { request } from 'undici';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { DASHBOARD_PATH, LOGIN_PATH } from '../../shared/paths.ts';
import { CHROMIUM_FLAGS, requireTool } from '../../tests/support/testTools.ts';
import { type Benchmark, compare, type Effort } from '../compare.ts';
import { PASSWORD, usernameOf } from '../requests.ts';
import { withTestbed } from '../testbed.ts';
import { runLighthouse } from './lighthouse.ts';

const DEBUGGING_PORT = 9_333;
const ROUNDS = 11;
/** The player takes a press within 0.4 s of another for the same one. */
const BETWEEN_PRESSES_MS = 500;
const TIME_MS = 'time (ms)';

/** Measures what a partner waits for: the screens, by Lighthouse, and the time from the click on play to sound. */
export const clientBenchmark: Benchmark = (effort) =>
  withTestbed(async (testbed) => {
    const demo = await startDemoProvider({ host: '127.0.0.1', port: 0 });
    const app = await testbed.startApp({
      changes: { PROVIDER_TOKEN_URL: demo.tokenUrl, STREAM_BASE_URL: demo.streamBaseUrl },
    });
    // Lighthouse drives the same browser, which holds the session for the dashboard.
    const browser = await chromium.launchPersistentContext('', {
      executablePath: requireTool('chromium'),
      args: [...CHROMIUM_FLAGS, `--remote-debugging-port=${DEBUGGING_PORT}`],
      baseURL: app.address,
      locale: 'es-ES',
    });
    try {
      const page = await browser.newPage();
      if (!effort.smoke) await runLighthouse(app.address + LOGIN_PATH, DEBUGGING_PORT, effort);
      await signIn(page);
      await clickToSound(page, effort);
      await page.goto('about:blank');
      if (!effort.smoke) await runLighthouse(app.address + DASHBOARD_PATH, DEBUGGING_PORT, effort);
    } finally {
      await browser.close();
      await demo.close();
    }
  });

async function signIn(page: Page): Promise<void> {
  await page.goto(LOGIN_PATH);
  await page.getByLabel('Correo electrónico').fill(usernameOf(0));
  await page.getByLabel('Contraseña').fill(PASSWORD);
  await page.getByRole('button', { name: 'iniciar sesión' }).click();
}

async function clickToSound(page: Page, effort: Effort): Promise<void> {
  await page.getByRole('button', { name: 'Crear Token' }).click();
  await compare({
    title: 'From the click on play to sound',
    rounds: ROUNDS,
    effort,
    contestants: {
      "the provider's first byte of audio": async () => ({ [TIME_MS]: await msToFirstByte(page) }),
      sound: async () => ({ [TIME_MS]: await msToSound(page) }),
    },
    toFirst: { name: 'beyond the first byte (ms)', of: TIME_MS, by: (sound, firstByte) => sound - firstByte },
  });
}

async function msToFirstByte(page: Page): Promise<number> {
  const address = page.getByLabel('URL de la emisión').and(page.locator('[value^=http]'));
  const url = await address.inputValue();
  const startMs = performance.now();
  const { body } = await request(url);
  for await (const _ of body) break;
  return performance.now() - startMs;
}

async function msToSound(page: Page): Promise<number> {
  await page.getByText('Audio en pausa').waitFor();
  const soundMs = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const once = { once: true, capture: true };
        document.addEventListener(
          'click',
          (click) =>
            document.addEventListener(
              'playing',
              (playing) => resolve(playing.timeStamp - click.timeStamp),
              once,
            ),
          once,
        );
      }),
  );
  await page.waitForTimeout(BETWEEN_PRESSES_MS);
  await page.getByRole('button', { name: 'Reproducir audio' }).click();
  await soundMs;
  await page.waitForTimeout(BETWEEN_PRESSES_MS);
  await page.getByRole('button', { name: 'Pausar audio' }).click();
  return soundMs;
}
