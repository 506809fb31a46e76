import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { liquidsoapSource, m3uFile } from '../../client/dashboard/takeAway/takeAway.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { createStreamProvider } from '../../server/streamTokens/provider.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

const TITLE = 'Audio Oficial Premium (conectar antes de las 18:32)';
/** Liquidsoap runs as root in containers only when it is told so. */
const AS_ROOT = 'settings.init.allow_root.set(true)\n';
/** Three seconds of sound, as WAV. */
const WAV_BYTES = 500_000;

let address: string;

beforeEach(async () => {
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0 });
  onTestFinished(demo.close);
  const provider = createStreamProvider({
    tokenUrl: demo.tokenUrl,
    authSignParameter: 'wmsAuthSign',
    log: { warn() {} },
  });
  onTestFinished(provider.close);
  address = demo.streamBaseUrl + (await provider.fetchToken());
});

function runs(child: ChildProcess): void {
  onTestFinished(() => void child.kill('SIGKILL'));
}

test('mpv plays the M3U file', async () => {
  const folder = temporaryFolder({ 'mpv.conf': 'ao=null\nvo=null\n' });
  const { name, href } = m3uFile(address, TITLE);
  write(folder, name, await (await fetch(href)).text());
  const env = { ...process.env, MPV_HOME: folder };
  const child = spawn(requireTool('mpv'), [path.join(folder, name)], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  runs(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  await expect.poll(() => output, { timeout: 15_000 }).toMatch(/AO: \[null\]/);
});

test('Liquidsoap plays the source that the page shows', async () => {
  const folder = temporaryFolder();
  const recording = path.join(folder, 'sound.wav');
  write(
    folder,
    'radio.liq',
    `${AS_ROOT}${liquidsoapSource(address)}\noutput.file(%wav, fallible=true, "${recording}", oficial)\n`,
  );
  runs(spawn(requireTool('liquidsoap'), [path.join(folder, 'radio.liq')], { stdio: 'ignore' }));
  const recorded = () => statSync(recording, { throwIfNoEntry: false })?.size ?? 0;
  await expect.poll(recorded, { timeout: 50_000 }).toBeGreaterThan(WAV_BYTES);
});

test('Liquidsoap reads any address unchanged', async () => {
  const addresses = ['https://a.example/?b=c+/==', '"quoted" \\n \\x41', "#{1 + 1}#{'$`%'}"];
  const prints = addresses.map((each) => liquidsoapSource(each).replace('oficial = input.http', 'print'));
  const folder = temporaryFolder({ 'print.liq': `${AS_ROOT}${prints.join('\n')}\n` });
  const { stdout } = await promisify(execFile)(requireTool('liquidsoap'), [
    path.join(folder, 'print.liq'),
  ]).catch(
    // Without an output it ends as a failure.
    (error: { stdout: string }) => error,
  );
  expect(stdout).toContain(addresses.join('\n'));
});
