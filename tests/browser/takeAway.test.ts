import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireFfmpeg } from '../support/testTools.ts';
import { test } from './partnerTest.ts';

test.beforeEach(({ partner }) => partner.signIn());

describe('playlists and commands for other programs', () => {
  test('are missing without a token, and the panel says when they come', async ({ page }) => {
    await open(page);
    expect(await page.locator('.takeaway').innerText()).toContain(
      'Los archivos y los comandos aparecerán aquí con la URL.',
    );
    expect(await page.getByText('Descargar M3U').count()).toBe(0);
  });

  test('say until when a connection can be opened, and go at the expiry', async ({ site, partner, page }) => {
    await page.clock.install({ time: new Date('2026-03-01T18:12:34') });
    const address = site.streamBaseUrl + (await partner.createToken());
    await open(page);
    const until = 'las 18:32';
    expect(await page.locator('.takeaway').innerText()).toContain(
      `Esta URL permite conectarse hasta ${until}.`,
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

  test('include a command for ffmpeg that records, and leaves a recording of the same name alone', async ({
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
    await page.getByText('Comando copiado').waitFor();
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
    await expect.poll(() => first.said.text, { timeout: 15_000 }).toMatch(/time=00:00:0[1-9]/);
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
  await page.getByText('Usar en tu software de emisión').click();
}

async function download(page: Page, name: string): Promise<string> {
  const [downloaded] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ]);
  return readFile(await downloaded.path(), 'utf8');
}

async function command(page: Page, label: string, shell: string): Promise<string> {
  await page.getByLabel('Tu sistema').selectOption(shell);
  return page.getByLabel(label, { exact: true }).inputValue();
}
