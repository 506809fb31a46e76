import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { DEMO_ACCOUNT } from '../../server/demo/demoAccount.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { createStreamProvider } from '../../server/streamTokens/provider.ts';
import { freePort } from '../support/freePort.ts';
import {
  BUILT,
  becomesReady,
  launchServer,
  type ServerProcess,
  stopServer,
} from '../support/serverProcess.ts';
import { startTcpProxy } from '../support/tcpProxy.ts';
import { ACCOUNT, startTestApp } from '../support/testApp.ts';
import { requireFfmpeg } from '../support/testTools.ts';

// Starts processes and records sound in real time.
vi.setConfig({ testTimeout: 120_000 });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PROGRAM = path.join(PROJECT_ROOT, 'docs/examples/record.mjs');
/** The bit rate of the demo's stream. */
const BYTES_PER_SECOND = 12_000;
/** The recordings are decoded to 24 kHz mono, 16 bits. */
const DECODED_BYTES_PER_SECOND = 48_000;

/** The decoder's complaint where a recording starts within a stream: the first frame may need bits of the one before. */
const FIRST_FRAME = /invalid new backstep/;

type Finished = TestContext['onTestFinished'];

/** Starts the real app and provider, with a clock that can be moved, and a stream whose connections can be cut. */
async function site({ onTestFinished }: { onTestFinished: Finished }) {
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const demo = await startDemoProvider({ host: '127.0.0.1', port: 0, clock });
  onTestFinished(demo.close);
  const stream = new URL(demo.streamBaseUrl);
  const proxy = await startTcpProxy(Number(stream.port));
  onTestFinished(proxy.close);
  stream.port = String(proxy.port);
  const provider = createStreamProvider({
    tokenUrl: demo.tokenUrl,
    authSignParameter: 'wmsAuthSign',
    log: { warn() {} },
  });
  const tokens: string[] = [];
  const app = await startTestApp({
    clock: () => new Date(clock()),
    streamBaseUrl: stream.href,
    provider: {
      ...provider,
      async fetchToken() {
        const token = await provider.fetchToken();
        tokens.push(token);
        return token;
      },
    },
  });
  onTestFinished(app.close);
  await app.addAccount(ACCOUNT);
  return {
    app,
    proxy,
    tokens,
    goOn(ms: number) {
      aheadMs += ms;
    },
    /** Returns the status of a connection opened now with a token. */
    async statusOf(token: string | undefined): Promise<number> {
      const response = await fetch(`${demo.streamBaseUrl}${token}`);
      await response.body?.cancel();
      return response.status;
    },
  };
}

/** Starts the program; `told` returns the arguments and the environment that ffmpeg got. */
async function startRecorder(
  { onTestFinished }: { onTestFinished: Finished },
  env: Record<string, string>,
  password: string | null,
  name = 'recordings',
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-record-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const recordings = path.join(folder, name);
  const told = path.join(folder, 'told');
  const ffmpeg = path.join(folder, 'ffmpeg');
  const { ffmpeg: real } = requireFfmpeg();
  await writeFile(ffmpeg, `#!/bin/sh\n{ echo "$@"; env; } >> '${told}'\nexec '${real}' "$@"\n`);
  await chmod(ffmpeg, 0o755);

  const child = spawn(process.execPath, [PROGRAM, '--', name], {
    cwd: folder,
    env: { PATH: process.env.PATH, AUDIO_USERNAME: ACCOUNT.username, FFMPEG_PATH: ffmpeg, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (text: Buffer) => {
      said += text;
    });
  }
  child.stdin.on('error', () => {});
  if (password !== null) child.stdin.write(`${password}\n`);

  async function files(): Promise<string[]> {
    const names = await readdir(recordings).catch(() => []);
    return names.sort().map((name) => path.join(recordings, name));
  }
  /** Waits until there are `count` files and the last has grown by `byBytes`. */
  async function grows(count: number, byBytes = BYTES_PER_SECOND): Promise<void> {
    const sizeOf = async () => {
      const file = (await files())[count - 1];
      return file === undefined ? 0 : (await stat(file)).size;
    };
    const before = await sizeOf();
    await expect.poll(sizeOf, { timeout: 30_000, message: said }).toBeGreaterThan(before + byBytes);
  }
  return {
    recordings,
    grows,
    files,
    ended,
    said: () => said,
    told: () => readFile(told, 'utf8'),
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    stop(signal: NodeJS.Signals) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs the program to its end, with no API to call. */
async function runOnce(args: string[], input = `${ACCOUNT.password}\n`) {
  const env = { AUDIO_USERNAME: ACCOUNT.username, AUDIO_API: 'http://127.0.0.1:9/graphql' };
  const running = promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    cwd: PROJECT_ROOT,
    env,
    timeout: 30_000,
  });
  running.child.stdin?.on('error', () => {}).end(input);
  const { stdout, stderr, code } = await running.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return { stdout, stderr, status: code };
}

/** Expects a recording to be a whole MP3 whose size, duration and decoded length agree. */
async function expectWhole(file: string): Promise<void> {
  const { ffmpeg, ffprobe } = requireFfmpeg();
  const run = promisify(execFile);
  const entries = ['-show_entries', 'stream=codec_name:format=duration', '-of', 'json'];
  const { stdout } = await run(ffprobe, ['-v', 'error', ...entries, file]);
  const { streams, format } = JSON.parse(stdout);
  expect(streams).toEqual([{ codec_name: 'mp3' }]);
  const seconds = Number(format.duration);
  expect(seconds).toBeGreaterThan(1);
  expect(Math.abs(seconds - (await stat(file)).size / BYTES_PER_SECOND)).toBeLessThan(0.1);

  const pcm = ['-ac', '1', '-ar', '24000', '-f', 's16le', 'pipe:1'];
  const decoded = await run(ffmpeg, ['-v', 'error', '-xerror', '-i', file, ...pcm], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  });
  const complaints = decoded.stderr.toString().trim().split('\n');
  expect(complaints.filter((line) => line !== '' && !FIRST_FRAME.test(line))).toEqual([]);
  expect(Math.abs(decoded.stdout.length / DECODED_BYTES_PER_SECOND - seconds)).toBeLessThan(0.1);
}

describe('docs/examples/record.mjs', () => {
  test("records on past its token's end, and past a lost connection in a new file with a new token", async (context) => {
    const { app, proxy, tokens, goOn, statusOf } = await site(context);
    const env = { AUDIO_API: `${app.url}/graphql` };
    const recorder = await startRecorder(context, env, ACCOUNT.password);
    await recorder.grows(1);
    expect(await statusOf(tokens[0])).toBe(200);
    goOn(21 * MINUTE_MS);
    expect(await statusOf(tokens[0])).toBe(403);
    await recorder.grows(1);
    expect(tokens).toHaveLength(1);

    proxy.cut();
    await recorder.grows(2);
    expect(new Set(tokens).size).toBe(2);
    const session = await app.prisma.session.findFirstOrThrow();
    expect(await recorder.stop('SIGTERM')).toBe(0);

    const files = await recorder.files();
    expect(files.map((file) => path.basename(file))).toEqual([
      expect.stringMatching(/^audio-\d{8}T\d{6}Z-0001\.mp3$/),
      expect.stringMatching(/^audio-\d{8}T\d{6}Z-0002\.mp3$/),
    ]);
    for (const file of files) await expectWhole(file);
    expect(await app.prisma.session.count()).toBe(0);
    for (const secret of [...tokens, ACCOUNT.password, session.id, 'eyJ']) {
      expect(recorder.said()).not.toContain(secret);
      expect(await recorder.told()).not.toContain(secret);
    }
  });

  test('signs in again where its session ran out unseen, and comes back from a stream that fell silent', async (context) => {
    const { app, proxy, tokens, goOn } = await site(context);
    const env = { AUDIO_API: `${app.url}/graphql`, AUDIO_PASSWORD: ACCOUNT.password };
    const recorder = await startRecorder(context, env, 'not this one');
    await recorder.grows(1);
    goOn(13 * HOUR_MS);
    proxy.set('silent');
    proxy.set('pass');
    await recorder.grows(2);
    expect(recorder.said()).toContain('STREAM: the stream was lost: it fell silent');
    expect(recorder.said()).toContain('UNAUTHENTICATED: signing in again.');
    expect(tokens).toHaveLength(2);
    expect(await recorder.stop('SIGINT')).toBe(0);
    for (const file of await recorder.files()) await expectWhole(file);
  });

  test('records the demo as it starts with nothing configured, across a restart of it', async (context) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'audio-record-demo-'));
    await chmod(dataDir, 0o755); // as root, PostgreSQL runs as another user
    const port = await freePort();
    let server: ServerProcess | undefined;
    context.onTestFinished(async () => {
      if (server !== undefined) await stopServer(server, 'SIGTERM');
      await rm(dataDir, { recursive: true });
    });
    const start = async () => {
      const started = launchServer(BUILT, { DATA_DIR: dataDir, PORT: String(port) });
      server = started;
      await becomesReady(started, port);
      return started;
    };

    const first = await start();
    const { username, password } = DEMO_ACCOUNT;
    const env = { AUDIO_API: `http://127.0.0.1:${port}/graphql`, AUDIO_USERNAME: username };
    const recorder = await startRecorder(context, env, password);
    await recorder.grows(1);
    await stopServer(first, 'SIGTERM');
    await start();
    await recorder.grows(2);
    expect(await recorder.stop('SIGTERM')).toBe(0);
    for (const file of await recorder.files()) await expectWhole(file);
  });

  test('says how it is run, and records nothing', async () => {
    const { stdout, stderr, status } = await runOnce(['--help']);
    expect([stdout.split(' ')[0], stderr, status]).toEqual(['Usage:', '', 0]);
  });

  test.for<[what: string, args: string[], said: string, input?: string]>([
    ['an option that there is not', ['--foo'], "Unknown option '--foo'. See --help."],
    ['two folders', ['one', 'two'], 'Name one folder. See --help.'],
    ['a file in place of the folder', ['package.json'], 'package.json (ENOTDIR).'],
    ['a folder that cannot be made', ['/proc/audio/recordings'], '/proc/audio/recordings (ENOENT).'],
    ['an empty password', ['.'], 'There is no password', '\n'],
  ])('refuses %s in one line, before any request', async ([, args, said, input]) => {
    const { stdout, stderr, status } = await runOnce(args, input);
    expect([stdout, status]).toEqual(['', 78]);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(said)]);
  });

  test('takes a folder whose name looks like an option', async (context) => {
    const { app } = await site(context);
    const env = { AUDIO_API: `${app.url}/graphql` };
    const recorder = await startRecorder(context, env, ACCOUNT.password, '-y');
    await recorder.grows(1);
    expect(await recorder.stop('SIGTERM')).toBe(0);
  });

  test('told to stop while the API does not answer it ends at once with a second signal', async (context) => {
    const api = createServer();
    context.onTestFinished(() => void api.close().closeAllConnections());
    await once(api.listen(0, '127.0.0.1'), 'listening');
    const asked = once(api, 'request');
    const { port } = api.address() as AddressInfo;
    const env = { AUDIO_API: `http://127.0.0.1:${port}/graphql` };
    const recorder = await startRecorder(context, env, ACCOUNT.password);
    await asked;
    recorder.signal('SIGTERM');
    await expect.poll(recorder.said).toContain('a second signal ends at once');
    expect(await recorder.stop('SIGINT')).toBe('SIGINT');
  });

  test('told to stop while it waits for the password it ends in order', async (context) => {
    const recorder = await startRecorder(context, { AUDIO_API: 'http://127.0.0.1:9/graphql' }, null);
    await expect.poll(() => readdir(recorder.recordings).catch(() => null)).toEqual([]);
    expect(await recorder.stop('SIGTERM')).toBe(0);
  });

  test.for<[what: string, exitCode: number, said: string, env: Record<string, string>, password: string]>([
    ['a wrong password', 77, 'INVALID_CREDENTIALS', {}, 'equivocada'],
    ['a password that cannot be one', 78, 'BAD_USER_INPUT', {}, 'corta'],
    ['no username', 78, 'AUDIO_USERNAME is missing', { AUDIO_USERNAME: '' }, ACCOUNT.password],
    [
      'an address that is not private',
      78,
      'https://',
      { AUDIO_API: 'http://audio.example' },
      ACCOUNT.password,
    ],
    ['no ffmpeg', 78, 'ffmpeg does not start (ENOENT)', { FFMPEG_PATH: '/nowhere/ffmpeg' }, ACCOUNT.password],
  ])('ends at once with %s, and tells so', async ([, exitCode, said, env, password], context) => {
    const { app } = await site(context);
    const recorder = await startRecorder(context, { AUDIO_API: `${app.url}/graphql`, ...env }, password);
    expect(await recorder.ended).toBe(exitCode);
    expect(recorder.said()).toContain(said);
    expect(recorder.said().trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(recorder.said()).not.toContain(password);
    expect(await app.prisma.session.count()).toBe(0);
  });
});
