import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { CodedError } from '../../server/errors.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ACCOUNT, startTestApp, type TestApp } from '../support/testApp.ts';
import { requireFfmpeg } from '../support/testTools.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The bit rate of the demo's stream. */
const BYTES_PER_SECOND = 12_000;

let app: TestApp;
let streamProxy: TcpProxy;
let tokens: string[];
/** The provider's next failure. */
let failure: Error | undefined;

beforeEach(async () => {
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0 });
  const stream = new URL(demo.streamBaseUrl);
  streamProxy = await startTcpProxy(Number(stream.port));
  stream.port = String(streamProxy.port);
  tokens = [];
  failure = undefined;
  app = await startTestApp({
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

/** Starts the program with an ffmpeg that first notes its arguments and environment in the file `seen`. */
function startRecorder(password: string = ACCOUNT.password) {
  const folder = temporaryFolder({
    ffmpeg: `#!/bin/sh\n{ echo "$@"; env; } >> "$(dirname "$0")/seen"\nexec '${requireFfmpeg().ffmpeg}' "$@"\n`,
  });
  chmodSync(path.join(folder, 'ffmpeg'), 0o755);
  const program = path.join(PROJECT_ROOT, 'docs/examples/record.mjs');
  const child = spawn(process.execPath, [program, folder], {
    env: {
      PATH: process.env.PATH,
      AUDIO_API: `${app.url}/graphql`,
      AUDIO_USERNAME: ACCOUNT.username,
      AUDIO_PASSWORD: password,
      FFMPEG_PATH: path.join(folder, 'ffmpeg'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = Promise.all([text(child.stderr), once(child, 'exit')]);
  const isRecording = (name: string) => /^audio-\d{8}T\d{6}Z\.mp3$/.test(name);
  const files = () => readdirSync(folder).filter(isRecording).toSorted();
  const secondsOf = (file: string) => statSync(path.join(folder, file)).size / BYTES_PER_SECOND;
  return {
    folder,
    child,
    ended,
    files,
    secondsOf,
    /** Waits until there are `count` files, the last one with a second of audio. */
    async records(count: number) {
      await expect.poll(() => files().map(secondsOf)[count - 1], { timeout: 30_000 }).toBeGreaterThan(1);
    },
  };
}

test('opens a lost stream again with a new token and session, waits as told, and stops in order', async () => {
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
  const seen = readFileSync(path.join(recorder.folder, 'seen'), 'utf8');
  for (const secret of [...tokens, ACCOUNT.password, 'eyJ']) expect(log + seen).not.toContain(secret);
  const { ffprobe } = requireFfmpeg();
  for (const file of recorder.files()) {
    const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file];
    const duration = execFileSync(ffprobe, args, { cwd: recorder.folder, encoding: 'utf8' });
    expect(Number(duration)).toBeCloseTo(recorder.secondsOf(file), 0);
  }
});

test('ends at once with a wrong password', async () => {
  const [log, [status]] = await startRecorder('equivocada').ended;
  expect(log).toMatch(/^INVALID_CREDENTIALS: .+\n$/);
  expect(status).toBe(77);
});
