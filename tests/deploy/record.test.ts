import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { CodedError } from '../../server/errors.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT, startTestApp, type TestApp } from '../support/testApp.ts';
import { requireFfmpeg } from '../support/testTools.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The bit rate of the demo's stream. */
const BYTES_PER_SECOND = 12_000;
const HOUR_MS = 3_600_000;

let app: TestApp;
let streamProxy: TcpProxy;
let tokens: string[];
/** The provider's next failure. */
let failure: Error | undefined;
/** How far the clocks of app and provider are ahead. */
let aheadMs: number;
let demo: Awaited<ReturnType<typeof startDemoProvider>>;

const startDemo = (port: number) =>
  startDemoProvider({ host: '127.0.0.1', port, clock: () => Date.now() + aheadMs });

beforeEach(async () => {
  aheadMs = 0;
  demo = await startDemo(0);
  const stream = new URL(demo.streamBaseUrl);
  streamProxy = await startTcpProxy(Number(stream.port));
  stream.port = String(streamProxy.port);
  tokens = [];
  failure = undefined;
  app = await startTestApp({
    clock: () => new Date(Date.now() + aheadMs),
    streamBaseUrl: stream.href,
    provider: {
      async fetchToken() {
        const thrown = failure;
        failure = undefined;
        if (thrown !== undefined) throw thrown;
        const page = await (await fetch(demo.tokenUrl)).text();
        const [, token = ''] = /wmsAuthSign=([^"]+)/.exec(page) ?? [];
        tokens.push(token);
        return token;
      },
      async close() {},
    },
  });
  await app.addAccount(ACCOUNT);
  return async () => {
    await app.close();
    streamProxy.close();
    await demo.close();
  };
});

/**
 * Starts the program with an ffmpeg that first notes its arguments and environment in the file `seen`. It also keeps its input
 * in a file of its own, because ffmpeg writes only every 20 s.
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
      AUDIO_API: `${app.url}/graphql`,
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
    /** Waits until there are `count` connections, the last one with a number of seconds of audio. */
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
  failure = new CodedError('RATE_LIMITED', 'Later', { retryAfterSeconds: 3 });
  await app.prisma.session.deleteMany();
  streamProxy.cut();
  await recorder.records(2);
  recorder.child.kill('SIGTERM');
  const [log, [status]] = await recorder.ended;
  expect(status).toBe(0);
  expect(log).toMatch(/STREAM: .+\n.*RATE_LIMITED: Later .+; trying again in [34] s\n/);
  expect(new Set(tokens).size).toBe(2);
  expect(await app.prisma.session.count()).toBe(0);
  // The arguments, as the list of processes shows them.
  const seen = readFileSync(path.join(recorder.folder, 'seen'), 'utf8');
  for (const secret of [...tokens, ACCOUNT.password, 'eyJ']) expect(log + seen).not.toContain(secret);
  for (const input of recorder.inputs()) {
    expect(recorder.secondsOf(input.replace('.input', ''))).toBeGreaterThan(0);
  }
});

test('the recorder records with a key until it is revoked', async () => {
  const key = await app.addKey();
  const recorder = startRecorder({ AUDIO_KEY: key, AUDIO_USERNAME: '', AUDIO_PASSWORD: '' });
  await recorder.records(1);
  expect(await app.prisma.session.count()).toBe(0);
  await app.prisma.accountKey.deleteMany();
  streamProxy.cut();
  const [log, [status]] = await recorder.ended;
  expect(log).toMatch(/\nUNAUTHENTICATED: .+revoked.+\n$/);
  expect(status).toBe(77);
  expect(log + readFileSync(path.join(recorder.folder, 'seen'), 'utf8')).not.toContain(key);
});

test('the recorder opens a stream again only once it fell silent or ended', async () => {
  const recorder = startRecorder();
  const secondsBefore = await recorder.records(1);
  aheadMs = 13 * HOUR_MS;
  expect((await fetch(`${demo.streamBaseUrl}${tokens[0]}`)).status).toBe(403);
  await recorder.records(1, secondsBefore + 1);
  expect(tokens).toHaveLength(1);

  streamProxy.set('silent');
  streamProxy.set('pass');
  await recorder.records(2);
  await demo.close();
  demo = await startDemo(Number(new URL(demo.tokenUrl).port));
  await recorder.records(3);
  recorder.child.kill('SIGINT');
  const [log, [status]] = await recorder.ended;
  expect(status).toBe(0);
  expect(log).toMatch(
    /^Recording .+\nSTREAM: it fell silent; .+\nRecording .+\nSTREAM: the connection was lost; (.+\n)+Recording .+\n$/,
  );
  expect(new Set(tokens).size).toBe(3);
});

test('the recorder stops at once without ffmpeg', async () => {
  const [log, [status]] = await startRecorder({ FFMPEG_PATH: '/nowhere/ffmpeg' }).ended;
  expect(log).toMatch(/^Recording .+\nMISUSED: install ffmpeg, or set FFMPEG_PATH\n$/);
  expect(status).toBe(78);
  expect(await app.prisma.session.count()).toBe(0);
});
