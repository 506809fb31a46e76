import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireFfmpeg } from '../support/testTools.ts';
import { test } from './partnerTest.ts';

test.beforeEach(({ partner }) => partner.signIn());

describe('playlists and commands for other programs', () => {
  test('are missing without a token, and the reason is told', async ({ page }) => {
    await open(page);
    expect(await page.locator('.takeaway').innerText()).toContain('Debes generar un Token');
    expect(await page.getByText('Descargar M3U').count()).toBe(0);
  });

  test('say until when a connection can be opened, and go at the expiry', async ({ site, partner, page }) => {
    await page.clock.install({ time: new Date('2026-03-01T18:12:34') });
    const address = site.streamBaseUrl + (await partner.createToken());
    await open(page);
    const until = 'las 18:32';
    expect(await page.locator('.takeaway').innerText()).toContain(
      `Permite abrir la conexión hasta ${until}.`,
    );
    for (const name of ['Descargar M3U', 'Descargar PLS']) {
      const text = await download(page, name);
      expect(text).toContain(`Audio Oficial Premium (conectar antes de ${until})`);
      expect(text).toContain(`${address}\r\n`);
    }
    await page.clock.fastForward('20:00');
    await page.getByText('Descargar M3U').waitFor({ state: 'detached' });
    await page.getByText('ffmpeg').waitFor({ state: 'detached' });
  });

  test('include a command for ffmpeg that records', async ({ partner, page }) => {
    await partner.createToken();
    await open(page);
    const folder = temporaryFolder();
    // `exec`: the signal reaches ffmpeg, and no shell is left.
    const child = spawn('bash', ['-c', `exec ${await command(page, 'Grabar con ffmpeg', 'bash')}`], {
      cwd: folder,
      env: { ...process.env, PATH: `${path.dirname(requireFfmpeg().ffmpeg)}:${process.env.PATH}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    await expect.poll(() => output, { timeout: 15_000 }).toMatch(/time=00:00:0[1-9]/);
    child.kill('SIGINT');
    await once(child, 'exit');
    const probed = await promisify(execFile)(requireFfmpeg().ffprobe, [
      ...['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0'],
      path.join(folder, 'audio-oficial.mp3'),
    ]);
    expect(probed.stdout.trim()).toBe('mp3');
  });

  test('are copied for the chosen shell', async ({ site, partner, page }) => {
    const token = await partner.createToken();
    await open(page);
    const address = site.streamBaseUrl + token;
    const expected = {
      bash: `vlc '${address}'`,
      powershell: `& 'C:\\Program Files\\VideoLAN\\VLC\\vlc.exe' '${address}'`,
      cmd: `"C:\\Program Files\\VideoLAN\\VLC\\vlc.exe" "${address}"`,
    };
    await partner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const [shell, text] of Object.entries(expected)) {
      expect(await command(page, 'Escuchar con VLC', shell)).toBe(text);
      await page.getByRole('button', { name: 'Copiar: Escuchar con VLC' }).click();
      await page.getByText('Comando copiado').waitFor();
      expect(await partner.clipboard()).toBe(text);
    }
    expect(partner.complaints).toEqual([]);
  });
});

async function open(page: Page): Promise<void> {
  await page.getByText('Usar en otro programa').click();
}

async function download(page: Page, name: string): Promise<string> {
  const [downloaded] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ]);
  return readFile(await downloaded.path(), 'utf8');
}

async function command(page: Page, label: string, shell: string): Promise<string> {
  await page.getByLabel('Comandos para').selectOption(shell);
  return page.getByLabel(label, { exact: true }).inputValue();
}
