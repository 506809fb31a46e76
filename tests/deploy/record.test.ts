import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { CodedError } from '../../server/errors.ts';
import { HOUR_MS } from '../../shared/durations.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT } from '../support/testApp.ts';
import { requireFfmpeg } from '../support/testTools.ts';
import { startDemoStream } from './demoStream.ts';
import { startInstance } from './nginx.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The bit rate of the demo's stream. */
const BYTES_PER_SECOND = 12_000;

let stream: Awaited<ReturnType<typeof startDemoStream>>;

beforeEach(async () => {
  stream = await startDemoStream();
  return () => stream.close();
});

/**
 * Starts the program with an ffmpeg that first notes its arguments and environment in the file `seen`. It also keeps
 * its input in a file of its own, because ffmpeg writes only every 20 s.
 */
function startRecorder(env: Record<string, string> = {}) {
  const folder = temporaryFolder({
    ffmpeg: `#!/bin/sh
      { echo "$@"; env; } >> "$(dirname "$0")/seen"
      for file; do :; done
      tee "$file.input" | '${requireFfmpeg().ffmpeg}' "$@"
    `,
  });
  chmodSync(path.join(folder, 'ffmpeg'), 0o755);
  const program = path.join(PROJECT_ROOT, 'docs/examples/record.mjs');
  const child = spawn(process.execPath, [program, folder], {
    env: {
      PATH: process.env.PATH,
      AUDIO_API: `${stream.app.url}/graphql`,
      AUDIO_USERNAME: ACCOUNT.username,
      AUDIO_PASSWORD: ACCOUNT.password,
      FFMPEG_PATH: path.join(folder, 'ffmpeg'),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = Promise.all([text(child.stderr), once(child, 'exit')]);
  const secondsOf = (file: string) => statSync(path.join(folder, file)).size / BYTES_PER_SECOND;
  const inputs = () => readdirSync(folder).filter((name) => /^audio-\d{8}T\d{6}Z\.mp3\.input$/.test(name));
  return {
    folder,
    child,
    ended,
    inputs,
    secondsOf,
    async records(count: number, seconds = 1) {
      const secondsHeard = () => inputs().toSorted().map(secondsOf)[count - 1];
      await expect.poll(secondsHeard, { timeout: 30_000 }).toBeGreaterThan(seconds);
      return secondsHeard() ?? 0;
    },
  };
}

test('the recorder opens a lost stream again with a new token', async () => {
  const recorder = startRecorder();
  await recorder.records(1);
  stream.failNext(new CodedError('RATE_LIMITED', 'Later', { retryAfterSeconds: 3 }));
  await stream.app.prisma.session.deleteMany();
  stream.proxy.cut();
  await recorder.records(2);
  recorder.child.kill('SIGTERM');
  const [log, [status]] = await recorder.ended;
  expect(status).toBe(0);
  expect(log).toMatch(
    /STREAM: the connection was lost; .+\n.*RATE_LIMITED: Later .+; trying again in [34] s\n/,
  );
  expect(new Set(stream.tokens).size).toBe(2);
  expect(await stream.app.prisma.session.count()).toBe(0);
  // The arguments, as the list of processes shows them.
  const seen = readFileSync(path.join(recorder.folder, 'seen'), 'utf8');
  for (const secret of [...stream.tokens, ACCOUNT.password, 'eyJ']) expect(log + seen).not.toContain(secret);
  for (const input of recorder.inputs()) {
    expect(recorder.secondsOf(input.replace('.input', ''))).toBeGreaterThan(0);
  }
});

test('the recorder records with a key until it is revoked', async () => {
  const key = await stream.app.addKey();
  const recorder = startRecorder({ AUDIO_KEY: key, AUDIO_USERNAME: '', AUDIO_PASSWORD: '' });
  await recorder.records(1);
  expect(await stream.app.prisma.session.count()).toBe(0);
  await stream.app.prisma.accountKey.deleteMany();
  stream.proxy.cut();
  const [log, [status]] = await recorder.ended;
  expect(log).toMatch(/\nUNAUTHENTICATED: .+revoked.+\n$/);
  expect(status).toBe(77);
  expect(log + readFileSync(path.join(recorder.folder, 'seen'), 'utf8')).not.toContain(key);
});

test('the recorder opens a stream again only once it fell silent', async () => {
  const recorder = startRecorder();
  const secondsBefore = await recorder.records(1);
  stream.advance(13 * HOUR_MS);
  expect((await fetch(`${stream.streamBaseUrl}${stream.tokens[0]}`)).status).toBe(403);
  await recorder.records(1, secondsBefore + 1);
  expect(stream.tokens).toHaveLength(1);

  stream.proxy.set('silent');
  stream.proxy.set('pass');
  await recorder.records(2);
  recorder.child.kill('SIGINT');
  const [log, [status]] = await recorder.ended;
  expect(status).toBe(0);
  expect(log).toMatch(/^Recording .+\nSTREAM: it fell silent; .+\nRecording .+\n$/);
});

test('the recorder that signs in again leaves nothing of its old session', async () => {
  const recorder = startRecorder();
  await recorder.records(1);
  stream.advance(13 * HOUR_MS);
  stream.proxy.cut();
  await recorder.records(2);
  expect(await stream.app.prisma.session.count()).toBe(1);
});

test.each([
  ['aac', 'audio/aacp', 'adts', 'aac'],
  ['ogg', 'application/ogg', 'ogg', 'libvorbis'],
  ['ogg', 'audio/ogg; codecs=opus', 'ogg', 'libopus'],
])('the recorder writes .%s files of a stream of %s', async (ending, type, muxer, encoder) => {
  const { ffmpeg } = requireFfmpeg();
  const sound = execFileSync(
    ffmpeg,
    `-v error -f lavfi -i sine=r=48000:d=5 -c:a ${encoder} -f ${muxer} -`.split(' '),
  );
  const port = await startInstance((request, response) => {
    if (request.url === '/stream') response.setHeader('content-type', type).write(sound);
    else {
      const streamUrl = `http://127.0.0.1:${port}/stream`;
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ data: { createToken: { streamUrl } } }));
    }
  });
  const recorder = startRecorder({
    AUDIO_API: `http://127.0.0.1:${port}/graphql`,
    AUDIO_KEY: 'aop_tool_any',
  });
  const inputs = () => readdirSync(recorder.folder).filter((name) => name.endsWith('.input'));
  const received = () => inputs().map((name) => statSync(path.join(recorder.folder, name)).size)[0];
  await expect.poll(received, { timeout: 30_000 }).toBe(sound.length);
  recorder.child.kill('SIGTERM');
  await recorder.ended;
  const [file = ''] = inputs().map((name) => name.replace('.input', ''));
  expect(file).toMatch(new RegExp(`^audio-\\d{8}T\\d{6}Z\\.${ending}$`));
  const decoded = execFileSync(ffmpeg, [
    '-v',
    'error',
    '-i',
    path.join(recorder.folder, file),
    '-ac',
    '1',
    '-ar',
    '8000',
    '-f',
    's16le',
    '-',
  ]);
  expect(decoded.length / 16_000).toBeGreaterThan(4.8);
});

test('the recorder stops at once without ffmpeg', async () => {
  const [log, [status]] = await startRecorder({ FFMPEG_PATH: '/nowhere/ffmpeg' }).ended;
  expect(log).toMatch(/^Recording .+\nMISUSED: install ffmpeg, or set FFMPEG_PATH\n$/);
  expect(status).toBe(78);
  expect(await stream.app.prisma.session.count()).toBe(0);
});
