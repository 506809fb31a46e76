import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { MINUTE_MS } from '../../shared/durations.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireFfmpeg, requireTool } from '../support/testTools.ts';
import { startDemoStream } from './demoStream.ts';
import { startNginx } from './nginx.ts';

vi.setConfig({ testTimeout: 180_000 });

/** The age of the token when the stream is cut: it opens no connection any more. */
const CUT_AFTER_MS = 25 * MINUTE_MS;
/**
 * 8 s of sound, as MP3 and as uncompressed files: more than the provider sends at once at the start of a connection.
 */
const MP3_BYTES = 100_000;
const WAV_BYTES = 1_500_000;

const readDoc = (name: string) => readFileSync(path.join(PROJECT_ROOT, 'docs', name), 'utf8');
const PAGE = readDoc('players.md');
const NGINX = /^```nginx\n(server \{[^`]*)```/m.exec(readDoc('operations.md'))?.[1] ?? '';
const commandOf = (program: string) =>
  new RegExp(`^${program} (?:.*\\\\\n)*.*$`, 'm').exec(PAGE)?.[0] ?? `no ${program}`;
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([^\`]*)\`\`\``, 'm').exec(PAGE)?.[1] ?? '';
/** Writes each packet at once, so that the growth of the file shows the sound. */
const FFMPEG = commandOf('ffmpeg').replace('-c copy', '-c copy -segment_format_options flush_packets=1');
const MPV = commandOf('mpv');
const M3U = /```\n(#EXTM3U[^`]*)```/.exec(PAGE)?.[1] ?? '';
const LIQUIDSOAP = `settings.init.allow_root.set(true)
${blockOf('liquidsoap')}
output.file(fallible=true, append=true, %wav, "sound.wav", oficial)
output.dummy(radio)
`;

let stream: Awaited<ReturnType<typeof startDemoStream>>;
let address: string;

beforeEach(async () => {
  stream = await startDemoStream();
  const instance = Number(new URL(stream.app.url).port);
  const nginx = await startNginx([instance, instance]);
  await expect.poll(() => fetch(nginx.url).catch(() => null), { timeout: 10_000 }).not.toBeNull();
  address = `${nginx.url}/live/${await stream.app.addKey({ name: 'Códec', kind: 'PLAYER' })}`;
  return () => stream.close();
});

const soundFolder = () => temporaryFolder({ 'mpv.conf': 'ao=pcm\nao-pcm-file=sound.wav\nvo=null\n' });

function play(command: string, folder = soundFolder()) {
  write(folder, 'stream.m3u', M3U.replace('DIRECCION', address));
  write(folder, 'radio.liq', LIQUIDSOAP.replace('DIRECCION', address));
  const programs = [requireFfmpeg().ffmpeg, requireTool('liquidsoap'), requireTool('mpv')].map((program) =>
    path.dirname(program),
  );
  const child = spawn('bash', ['-c', `exec ${command.replace('DIRECCION', address)}`], {
    cwd: folder,
    env: { ...process.env, MPV_HOME: folder, PATH: [...programs, process.env.PATH].join(path.delimiter) },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const isSound = (file: string) => /\.(mp3|wav)$/.test(file);
  return {
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
  ['mpv with the M3U file', MPV.replace('"DIRECCION"', 'stream.m3u'), WAV_BYTES],
  ['Liquidsoap', 'liquidsoap radio.liq', WAV_BYTES],
])('%s of docs/players.md plays on when cut after 25 minutes', async (_what, command, bytes) => {
  const { played } = play(command);
  const playsOn = async () => {
    const before = played();
    await expect.poll(played, { timeout: 45_000 }).toBeGreaterThan(before + bytes);
  };
  await playsOn();
  expect(stream.tokens).toHaveLength(1);

  stream.advance(CUT_AFTER_MS);
  stream.proxy.cut();
  await expect.poll(() => stream.tokens.length, { timeout: 20_000 }).toBe(2);
  await playsOn();
  expect(stream.tokens).toHaveLength(2);
});

test('ffmpeg of docs/players.md plays when started again in the same folder', async () => {
  const folder = soundFolder();
  const first = play(FFMPEG, folder);
  await expect.poll(first.played, { timeout: 45_000 }).toBeGreaterThan(0);
  await first.stop();
  const before = first.played();
  const { played } = play(FFMPEG, folder);
  await expect.poll(played, { timeout: 45_000 }).toBeGreaterThan(before);
});

test('curl follows a player’s address to the sound', async () => {
  const { played } = play('curl --silent --location --output sound.mp3 "DIRECCION"');
  await expect.poll(played, { timeout: 45_000 }).toBeGreaterThan(MP3_BYTES);
  expect(stream.tokens).toHaveLength(1);
});

/** Sends the first bytes that an address answers to a codec of HTTP/1.0, which names no host. */
async function openAsCodec(base: string, target: string): Promise<{ header: string; sound: () => number }> {
  let bytes = Buffer.alloc(0);
  const socket = connect(Number(new URL(base).port), new URL(base).hostname, () => {
    socket.write(`GET ${target} HTTP/1.0\r\nUser-Agent: Codec\r\nIcy-MetaData: 0\r\n\r\n`);
  });
  socket
    .on('error', () => {})
    .on('data', (part) => {
      bytes = Buffer.concat([bytes, part]);
    });
  onTestFinished(() => void socket.destroy());
  const headerEnd = () => bytes.indexOf('\r\n\r\n');
  await expect.poll(headerEnd, { timeout: 20_000 }).toBeGreaterThan(0);
  return { header: bytes.subarray(0, headerEnd()).toString(), sound: () => bytes.length - headerEnd() };
}

test('a codec of HTTP/1.0 that joins base and path with two slashes hears the stream', async () => {
  const redirect = await openAsCodec(address, `/${new URL(address).pathname};stream.mp3`);
  expect(redirect.header).toMatch(/^HTTP\/1.1 302 /);
  const location = new URL(/^location: (.*)$/im.exec(redirect.header)?.[1] ?? '');
  const { sound } = await openAsCodec(location.href, location.pathname + location.search);
  await expect.poll(sound, { timeout: 45_000 }).toBeGreaterThan(MP3_BYTES);
  expect(stream.tokens).toHaveLength(1);
});

test('nginx of docs/operations.md serves players’ addresses alone by http', async () => {
  const port = await freePort();
  const site = NGINX.replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('listen [::]:8080', `listen [::1]:${port}`)
    .replace('allow 203.0.113.7', 'allow 127.0.0.1');
  const instance = Number(new URL(stream.app.url).port);
  await startNginx([instance, instance], '', { site });
  const origin = `http://127.0.0.1:${port}`;
  const live = new URL(address).pathname;
  const answerOf = async (url: string) => {
    const { status, headers } = await fetch(url, { redirect: 'manual' });
    return { status, location: headers.get('location') };
  };
  await expect
    .poll(() => answerOf(origin + live).catch(() => null), { timeout: 10_000 })
    .toEqual({
      status: 302,
      location: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mp3\/icecast\.audio\?wmsAuthSign=/),
    });
  for (const other of ['/', '/graphql', '/dashboard', '/readyz']) {
    expect([other, await answerOf(origin + other)]).toEqual([other, { status: 404, location: null }]);
  }
  expect(await answerOf(`http://[::1]:${port}${live}`)).toMatchObject({ status: 403 });
  expect((await openAsCodec(origin, `/${live}`)).header).toMatch(/^HTTP\/1.1 302 .*\r\nlocation: http:/is);
});
