import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { requireFfmpeg } from '../support/testTools.ts';
import { test } from './partnerTest.ts';

test.beforeEach(({ partner }) => partner.signIn());

describe('playlists and commands for other programs', () => {
  test('name the deadline in the playlist, and disappear when the token expires', async ({
    site,
    partner,
    page,
  }) => {
    await page.clock.install({ time: new Date('2026-03-01T18:12:34') });
    const address = site.streamBaseUrl + (await partner.createToken());
    await open(page);
    const text = await download(page, 'Descargar M3U');
    expect(text).toContain('Audio Oficial Premium (conectar antes de las 18:32)');
    expect(text).toContain(`${address}\r\n`);
    await page.clock.fastForward('20:00');
    await page.getByText('Usar en tu software de emisión').waitFor({ state: 'detached' });
  });

  test('include an ffmpeg command that records, and that never overwrites a recording of the same name', async ({
    partner,
    page,
  }) => {
    await page.clock.install({ time: new Date(2026, 2, 1, 18, 12, 34) });
    await page.clock.pauseAt(new Date(2026, 2, 1, 18, 13));
    await partner.createToken();
    await open(page);
    await page.clock.runFor(65_000);
    await page.getByLabel('Tu sistema').selectOption('bash');
    await page.getByRole('button', { name: 'Copiar: Grabar con ffmpeg' }).click();
    await page.getByText('Copiado', { exact: true }).waitFor();
    const line = await partner.clipboard();
    const recording = 'audio-oficial-20260301-181405.mp3';
    expect(line.endsWith(` ${recording}`)).toBe(true);
    expect(await page.getByLabel('Grabar con ffmpeg', { exact: true }).inputValue()).toBe(line);

    const folder = temporaryFolder();
    const run = () => {
      // `exec`: the signal reaches ffmpeg, and no shell is left.
      const child = spawn('bash', ['-c', `exec ${line}`], {
        cwd: folder,
        env: { ...process.env, PATH: `${path.dirname(requireFfmpeg().ffmpeg)}:${process.env.PATH}` },
        // A terminal's standard input stays open too: nothing may wait for an answer on it.
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const said = { text: '' };
      child.stderr.on('data', (chunk: Buffer) => {
        said.text += chunk;
      });
      return { child, said };
    };
    const first = run();
    await expect.poll(() => first.said.text).toMatch(/time=00:00:0[1-9]/);
    first.child.kill('SIGINT');
    await once(first.child, 'exit');
    const probed = await promisify(execFile)(requireFfmpeg().ffprobe, [
      ...['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0'],
      path.join(folder, recording),
    ]);
    expect(probed.stdout.trim()).toBe('mp3');

    const { size } = await stat(path.join(folder, recording));
    const second = run();
    expect(await once(second.child, 'exit')).not.toEqual([0, null]);
    expect(second.said.text).toContain('already exists');
    expect((await stat(path.join(folder, recording))).size).toBe(size);
  });
});

describe('the URL', () => {
  test('is copied by the button beside it, which stays as it is; one message says until when to connect', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    const exactly = page.getByRole('button', { name: 'Copiar URL', exact: true });
    const told = (text: string) => page.getByRole('status').filter({ hasText: text });
    await page.clock.install({ time: new Date(2026, 2, 1, 19, 5) });
    await page.clock.pauseAt(new Date(2026, 2, 1, 19, 5, 10));
    const url = site.streamBaseUrl + (await partner.createToken());
    expect(await page.getByRole('textbox', { name: 'URL de la emisión' }).inputValue()).toBe(url);
    const place = await exactly.boundingBox();
    await exactly.click();
    await told('Copiada').waitFor();
    expect(await told('Copiada').allTextContents()).toEqual(['Copiada · conéctate antes de las 19:25']);
    expect(await exactly.textContent()).toBe('Copiar URL');
    expect(await exactly.boundingBox()).toEqual(place);
    await page.clock.runFor(18.5 * 60_000);
    expect(await told('Copiada').allTextContents()).toEqual([
      'Copiada · últimos minutos: conéctate antes de las 19:25',
    ]);
    await page.clock.resume();
    await partner.createToken();
    await page.getByText('Copiada').waitFor({ state: 'detached' });
    expect(await screen.copy.count()).toBe(1);
  });

  test('shows its end until it is selected, so that two tokens can be told apart', async ({
    site,
    partner,
    page,
  }) => {
    const token = await partner.createToken();
    const short = page.locator('.url__short');
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const end = await short.locator('span').last().boundingBox();
      const field = await page.locator('.url__place').boundingBox();
      expect(await short.textContent()).toBe(`${site.streamBaseUrl}…${token.slice(-5)}`);
      expect((end?.x ?? 0) + (end?.width ?? 0)).toBeLessThan((field?.x ?? 0) + (field?.width ?? 0));
      expect(end?.width).toBeGreaterThan(40);
    }
    await page.getByRole('textbox', { name: 'URL de la emisión' }).click();
    expect(await short.isVisible()).toBe(false);
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(site.streamBaseUrl + token);
  });

  test('of a replaced token can still be copied for a second encoder, until the partner signs out', async ({
    site,
    partner,
    page,
    screen,
  }) => {
    const main = await partner.createToken();
    const backup = await partner.createToken();
    await page.getByRole('button', { name: 'Copiar la anterior' }).click();
    await page.getByText('Copiada ·').waitFor();
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + main);
    await screen.copy.click();
    await expect.poll(() => page.getByText('Copiada ·').count()).toBe(2);
    expect(await partner.clipboard()).toBe(site.streamBaseUrl + backup);
    expect(JSON.stringify(await partner.storage())).not.toContain(main);
    await screen.signOut.click();
    await partner.fillIn(ACCOUNT.username, ACCOUNT.password);
    await partner.createToken();
    expect(await page.getByText('URL anterior').count()).toBe(0);
  });
});

test('the history lists the tokens created today page by page, without the token texts themselves', async ({
  site,
  partner,
  page,
}) => {
  const { id: accountId } = JSON.parse((await partner.storage()).account ?? '');
  await site.app.prisma.tokenRecord.deleteMany({ where: { accountId } });
  const ofTool = {
    accountId,
    outcome: 'PROVIDER_UNAVAILABLE',
    address: '2001:db8::7',
    client: 'TOOL',
    keyName: 'Códec',
  } as const;
  await site.app.prisma.tokenRecord.createMany({ data: Array.from({ length: 20 }, () => ofTool) });
  const token = await partner.createToken();
  await page.getByText('Tokens de hoy').click();
  const rows = page.locator('.history').getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(20);
  expect(await rows.first().innerText()).toMatch(/^\d\d:\d\d:\d\d\s+✓? ?Creado\s+Navegador$/);
  await page.getByRole('button', { name: 'Ver más' }).click();
  await expect.poll(() => rows.count()).toBe(21);
  expect(await rows.last().innerText()).toMatch(/Falló: el proveedor no respondió\s+Códec · 2001:db8::7$/);
  expect(await page.locator('.history').innerHTML()).not.toContain(token);
  await partner.createToken();
  await expect.poll(() => rows.filter({ hasText: 'Creado' }).count()).toBe(2);
});

test('the player stays in view while a long panel scrolls', async ({ partner, page, screen }) => {
  await partner.createToken();
  await open(page);
  for (const size of [
    { width: 1280, height: 800 },
    { width: 1024, height: 768 },
    { width: 800, height: 600 },
  ]) {
    await page.setViewportSize(size);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(100);
    const { y, height } = (await screen.play.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
    expect.soft(y, `on ${size.width}`).toBeGreaterThanOrEqual(0);
    expect.soft(y + height, `on ${size.width}`).toBeLessThanOrEqual(size.height);
  }
});

async function open(page: Page): Promise<void> {
  await page.getByText('Usar en tu software de emisión').click();
}

async function download(page: Page, name: string): Promise<string> {
  const [downloaded] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ]);
  return readFile(await downloaded.path(), 'utf8');
}
