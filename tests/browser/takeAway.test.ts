import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Partner, type PartnerSite, startPartnerSite } from '../support/partnerSite.ts';
import { requireFfmpeg } from '../support/testTools.ts';

let site: PartnerSite;
let partner: Partner;
let folder: string;

beforeAll(async () => {
  site = await startPartnerSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'take-away-'));
  partner = await site.newPartner();
  await partner.signIn();
});
afterEach(async () => {
  await partner.context.close();
  await rm(folder, { recursive: true });
});

describe('the forms that other programs take', () => {
  test('without a token there are none, and the reason is told', async () => {
    await open();
    expect(await partner.page.locator('.takeaway').innerText()).toContain('Debes generar un Token');
    expect(await partner.page.getByText('Descargar M3U').count()).toBe(0);
  });

  test('each says until when a connection can be opened, and they go when the token expires', async () => {
    const { page } = partner;
    await page.clock.install({ time: new Date('2026-03-01T18:12:34') });
    const address = site.streamBaseUrl + (await partner.createToken());
    await open();
    const until = 'las 18:32';
    expect(await page.locator('.takeaway').innerText()).toContain(
      `Permite abrir la conexión hasta ${until}.`,
    );
    for (const name of ['Descargar M3U', 'Descargar PLS']) {
      const text = await download(name);
      expect(text).toContain(`Audio Oficial Premium (conectar antes de ${until})`);
      expect(text).toContain(`${address}\r\n`);
    }
    await page.clock.fastForward('20:00');
    await page.getByText('Descargar M3U').waitFor({ state: 'detached' });
    await page.getByText('ffmpeg').waitFor({ state: 'detached' });
  });

  test('the command for ffmpeg records, run by a bash', async () => {
    await partner.createToken();
    await open();
    // `exec`: the signal reaches ffmpeg, and no shell is left.
    const child = spawn('bash', ['-c', `exec ${await command('Grabar con ffmpeg', 'bash')}`], {
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

  test('a command is copied for the shell that was chosen, and the partner is told', async () => {
    const { page, context } = partner;
    const token = await partner.createToken();
    await open();
    const address = site.streamBaseUrl + token;
    const expected = {
      bash: `vlc '${address}'`,
      powershell: `& 'C:\\Program Files\\VideoLAN\\VLC\\vlc.exe' '${address}'`,
      cmd: `"C:\\Program Files\\VideoLAN\\VLC\\vlc.exe" "${address}"`,
    };
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const [shell, text] of Object.entries(expected)) {
      expect(await command('Escuchar con VLC', shell)).toBe(text);
      await page.getByRole('button', { name: 'Copiar: Escuchar con VLC' }).click();
      await page.getByText('Comando copiado').waitFor();
      expect(await partner.clipboard()).toBe(text);
    }
    expect(partner.complaints).toEqual([]);
  });
});

test('a command that no way of copying can take is selected, to be copied by hand', async () => {
  const { page } = partner;
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    document.execCommand = () => false;
  });
  await partner.createToken();
  await open();
  const text = await command('Escuchar con VLC', 'bash');
  for (let presses = 0; presses < 2; presses += 1) {
    await page.getByRole('button', { name: 'Copiar: Escuchar con VLC' }).click();
    await page.getByText('No se pudo copiar el comando. Cópialo de la casilla.').waitFor();
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe(text);
  }
});

async function open(): Promise<void> {
  await partner.page.getByText('Usar en otro programa').click();
}

async function download(name: string): Promise<string> {
  const [downloaded] = await Promise.all([
    partner.page.waitForEvent('download'),
    partner.page.getByRole('link', { name }).click(),
  ]);
  return readFile(await downloaded.path(), 'utf8');
}

async function command(label: string, shell: string): Promise<string> {
  await partner.page.getByLabel('Comandos para').selectOption(shell);
  return partner.page.getByLabel(label, { exact: true }).inputValue();
}
