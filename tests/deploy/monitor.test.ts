import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

// It listens for seconds, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const AUDIO = readFileSync(path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3')).subarray(
  0,
  200_000,
);
const SILENCE = execFileSync(requireTool('ffmpeg'), [
  ...['-v', 'error', '-f', 'lavfi', '-i', 'anullsrc', '-t', '10', '-f', 'mp3', '-'],
]);

/** Sends a beginning and keeps the connection open, as a live stream. */
const live =
  (audio: Buffer, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'audio/mpeg' }).write(audio);

/** Runs `deploy/monitor.sh` on a stream; its first token is for that stream. */
async function monitor(stream: RequestListener, { ffmpeg = true } = {}) {
  const server = createServer(stream);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?wmsAuthSign=a+b/c==`;
  const folder = temporaryFolder({ 'audio-token': `#!/bin/sh\necho '${address}'\n` });
  copyFileSync(path.join(PROJECT_ROOT, 'deploy', 'monitor.sh'), path.join(folder, 'audio-monitor'));
  execFileSync('chmod', ['755', path.join(folder, 'audio-token')]);
  const programs = ['bash', 'dirname', 'mktemp', 'rm', 'sed'].map((name) =>
    ['/usr/bin', '/bin'].map((at) => path.join(at, name)),
  );
  for (const [program = ''] of programs) symlinkSync(program, path.join(folder, path.basename(program)));
  symlinkSync(requireTool('curl'), path.join(folder, 'curl'));
  if (ffmpeg) symlinkSync(requireTool('ffmpeg'), path.join(folder, 'ffmpeg'));
  const env = { PATH: folder, AUDIO_LISTEN_SECONDS: '3' };
  return promisify(execFile)(path.join(folder, 'audio-monitor'), [], { env }).then(
    ({ stdout }) => ({ code: 0, said: stdout.trim() }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr.trim() }),
  );
}

const page: RequestListener = (_request, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Mantenimiento</p>');

test.each<[what: string, RequestListener]>([
  ['plays', live(AUDIO)],
  ['answers 206', live(AUDIO, 206)],
  [
    'redirects',
    (request, response) =>
      request.url === '/elsewhere'
        ? live(AUDIO)(request, response)
        : void response.writeHead(302, { location: '/elsewhere' }).end(),
  ],
])('the monitor is content with a stream that %s', async (_what, stream) => {
  expect(await monitor(stream)).toEqual({
    code: 0,
    said: expect.stringMatching(/^Heard the stream for 3 s: status 20[06], audio\/mpeg, loudest -?\d+ dB$/),
  });
});

test.each<[what: string, RequestListener, said: string]>([
  [
    'answers 404',
    (_request, response) => void response.writeHead(404).end(),
    'The stream answers with status 404',
  ],
  ['never answers', () => {}, 'The stream does not answer'],
  [
    'sends headers alone',
    (_request, response) => void response.writeHead(200).flushHeaders(),
    'The stream sends nothing',
  ],
  ['is a page', page, 'The stream is not audio: text/html'],
  ['is silent', live(SILENCE), 'The stream carries silence'],
  ['ends', (_request, response) => void response.writeHead(200).end(AUDIO), 'The stream ended within 3 s'],
])('the monitor fails when the stream %s', async (_what, stream, said) => {
  expect(await monitor(stream)).toEqual({ code: 1, said: expect.stringContaining(said) });
});

test('without ffmpeg the monitor goes by the type of the content', async () => {
  expect(await monitor(live(AUDIO), { ffmpeg: false })).toMatchObject({ code: 0 });
  expect(await monitor(page, { ffmpeg: false })).toMatchObject({
    code: 1,
    said: 'The stream is not audio: text/html',
  });
});
