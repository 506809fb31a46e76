import { spawn } from 'node:child_process';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { commandFor, m3uFile, plsFile } from '../../client/dashboard/takeAway/takeAway.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { createStreamProvider } from '../../server/streamTokens/provider.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireMpv } from '../support/testTools.ts';

const TITLE = 'Audio Oficial Premium (conectar antes de las 18:32)';

let address: string;
let folder: string;

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
  folder = temporaryFolder({ 'mpv.conf': 'ao=null\nvo=null\n' });
});

/** Runs a command line as a partner's shell would, until mpv says that it plays. */
async function expectToPlay(line: string): Promise<void> {
  const child = spawn('bash', ['-c', `exec ${line}`], {
    cwd: folder,
    env: {
      ...process.env,
      MPV_HOME: folder,
      PATH: `${path.dirname(requireMpv())}:${process.env.PATH}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  await expect.poll(() => output, { timeout: 15_000 }).toMatch(/AO: \[null\]/);
}

test.each([
  ['M3U', m3uFile],
  ['PLS', plsFile],
])('mpv plays the %s file', async (_what, playlist) => {
  const { name, href } = playlist(address, TITLE);
  write(folder, name, await (await fetch(href)).text());
  await expectToPlay(`mpv ${name}`);
});

test('the command for mpv plays the stream', async () => {
  await expectToPlay(commandFor('mpv', 'bash', address, Date.now()) ?? '');
});
