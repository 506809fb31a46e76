import { execFile, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { liquidsoapSource } from '../../client/dashboard/otherPrograms/programCommands.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

/** Liquidsoap runs as root in containers only when it is told so. */
const AS_ROOT = 'settings.init.allow_root.set(true)\n';
/** Three seconds of sound, as WAV. */
const WAV_BYTES = 500_000;

test('Liquidsoap plays the source that the page shows', async () => {
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0 });
  onTestFinished(demo.close);
  const page = await (await fetch(demo.tokenUrl)).text();
  const [, token = ''] = /wmsAuthSign=([^"]+)/.exec(page) ?? [];
  const folder = temporaryFolder();
  const recording = path.join(folder, 'sound.wav');
  const output = `output.file(%wav, fallible=true, "${recording}", oficial)\n`;
  write(folder, 'radio.liq', `${AS_ROOT}${liquidsoapSource(demo.streamBaseUrl + token)}\n${output}`);
  const player = spawn(requireTool('liquidsoap'), [path.join(folder, 'radio.liq')], { stdio: 'ignore' });
  onTestFinished(() => void player.kill('SIGKILL'));
  const recorded = () => statSync(recording, { throwIfNoEntry: false })?.size ?? 0;
  await expect.poll(recorded, { timeout: 50_000 }).toBeGreaterThan(WAV_BYTES);
});

test('Liquidsoap reads any address unchanged', async () => {
  const addresses = ['https://a.example/?b=c+/==', '"quoted" \\n \\x41', "#{1 + 1}#{'$`%'}"];
  const prints = addresses.map((each) => liquidsoapSource(each).replace('oficial = input.http', 'print'));
  const folder = temporaryFolder({ 'print.liq': `${AS_ROOT}${prints.join('\n')}\n` });
  const running = promisify(execFile)(requireTool('liquidsoap'), [path.join(folder, 'print.liq')]);
  // Without an output it ends as a failure.
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  expect(stdout).toContain(addresses.join('\n'));
});
