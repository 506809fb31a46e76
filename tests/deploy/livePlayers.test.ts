import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { startDemoProvider } from '../../server/demo/demoProvider.ts';
import { keyHashOf, newKey } from '../../server/signIn/accountKeys.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { ACCOUNT, startTestApp, type TestApp } from '../support/testApp.ts';
import { requireFfmpeg, requireMpv } from '../support/testTools.ts';

vi.setConfig({ testTimeout: 120_000 });

const MINUTE_MS = 60_000;
/** The age of the token when the stream is cut: it opens no connection any more. */
const CUT_AFTER_MS = 25 * MINUTE_MS;
/** 8 s of sound, as MP3 and as mpv's uncompressed file: more than the provider sends at once at the start of a connection. */
const MP3_BYTES = 100_000;
const WAV_BYTES = 1_500_000;

const PAGE = readFileSync(path.join(PROJECT_ROOT, 'docs', 'players.md'), 'utf8');
const commandOf = (program: string) =>
  new RegExp(`^${program} (?:.*\\\\\n)*.*$`, 'm').exec(PAGE)?.[0] ?? `no ${program}`;
/** Writes each packet at once, so that the growth of the file shows the sound. */
const FFMPEG = commandOf('ffmpeg').replace('-c copy', '-c copy -segment_format_options flush_packets=1');
const M3U = /```\n(#EXTM3U[^`]*)```/.exec(PAGE)?.[1] ?? '';

let app: TestApp;
let address: string;
/** Tokens in the order in which they were made. */
let tokens: string[];
let demo: Awaited<ReturnType<typeof startDemoProvider>>;
/** How far the provider's clock is ahead. */
let aheadMs: number;
/** Stands between players and the stream. */
let streamProxy: TcpProxy;

const startDemo = (port: number) =>
  startDemoProvider({ host: '127.0.0.1', port, clock: () => Date.now() + aheadMs });

beforeEach(async () => {
  aheadMs = 0;
  tokens = [];
  demo = await startDemo(0);
  const stream = new URL(demo.streamBaseUrl);
  streamProxy = await startTcpProxy(Number(stream.port));
  stream.port = String(streamProxy.port);
  app = await startTestApp({
    streamBaseUrl: stream.href,
    provider: {
      async fetchToken() {
        const page = await (await fetch(demo.tokenUrl)).text();
        const [, token = ''] = /wmsAuthSign=([^"]+)/.exec(page) ?? [];
        tokens.push(token);
        return token;
      },
      async close() {},
    },
  });
  const { id: accountId } = await app.addAccount(ACCOUNT);
  const key = newKey('PLAYER');
  const expiresAt = new Date(Date.now() + 24 * 60 * MINUTE_MS);
  const data = { accountId, name: 'Códec', kind: 'PLAYER', keyHash: keyHashOf(key), expiresAt } as const;
  await app.prisma.accountKey.create({ data });
  address = `${app.url}/live/${key}`;
  return async () => {
    streamProxy.close();
    await app.close();
    await demo.close();
  };
});

const soundFolder = () => temporaryFolder({ 'mpv.conf': 'ao=pcm\nao-pcm-file=sound.wav\nvo=null\n' });

/** Plays by a command line. */
function play(command: string, folder = soundFolder()) {
  write(folder, 'stream.m3u', M3U.replace('ADDRESS', address));
  const programs = [requireFfmpeg().ffmpeg, requireMpv()].map((program) => path.dirname(program));
  const child = spawn('bash', ['-c', `exec ${command.replace('ADDRESS', address)}`], {
    cwd: folder,
    env: { ...process.env, MPV_HOME: folder, PATH: [...programs, process.env.PATH].join(path.delimiter) },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const isSound = (file: string) => /\.(mp3|wav)$/.test(file);
  return {
    /** Returns the number of bytes of sound in the folder. */
    played: () =>
      readdirSync(folder)
        .filter(isSound)
        .reduce((bytes, file) => bytes + statSync(path.join(folder, file)).size, 0),
    async stop() {
      child.kill();
      await once(child, 'close');
    },
  };
}

test.each([
  ['ffmpeg', FFMPEG, MP3_BYTES],
  ['mpv', commandOf('mpv'), WAV_BYTES],
  ['mpv with the M3U file', commandOf('mpv').replace('"ADDRESS"', 'stream.m3u'), WAV_BYTES],
])(
  '%s, started as in docs/players.md, plays on when the stream is cut after 25 minutes',
  async (_what, command, bytes) => {
    const { played } = play(command);
    const playsOn = async () => {
      const before = played();
      await expect.poll(played, { timeout: 45_000 }).toBeGreaterThan(before + bytes);
    };
    await playsOn();

    aheadMs += CUT_AFTER_MS;
    streamProxy.cut();
    await expect.poll(() => tokens.length, { timeout: 20_000 }).toBe(2);
    await playsOn();

    aheadMs += CUT_AFTER_MS;
    const { port } = new URL(demo.streamBaseUrl);
    await demo.close();
    demo = await startDemo(Number(port));
    await expect.poll(() => tokens.length, { timeout: 20_000 }).toBeGreaterThan(2);
    await playsOn();

    const stream = demo.streamBaseUrl;
    const statuses = await Promise.all(
      tokens.map(async (token) => (await fetch(stream + token, { method: 'HEAD' })).status),
    );
    expect(statuses.slice(0, 2)).toEqual([403, 403]);
    expect(statuses.at(-1)).toBe(200);
    expect(await app.prisma.tokenRecord.count({ where: { keyName: 'Códec', client: 'TOOL' } })).toBe(
      tokens.length,
    );
  },
);

test('ffmpeg, started as in docs/players.md, plays when a service starts it again in the same folder', async () => {
  const folder = soundFolder();
  const first = play(FFMPEG, folder);
  await expect.poll(first.played, { timeout: 45_000 }).toBeGreaterThan(0);
  await first.stop();
  const before = first.played();
  const { played } = play(FFMPEG, folder);
  await expect.poll(played, { timeout: 45_000 }).toBeGreaterThan(before);
});
