import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { readMp3Loop } from '../../server/demo/liveStream.ts';
import { requireFfmpeg } from '../support/testTools.ts';

/** A tone of 300 Hz that rises by 10 Hz each second: its pitch tells when a piece of sound was sent. */
const FIRST_HZ = 300;
const RISE_HZ_PER_S = 10;
const LENGTH_S = 200;
const TICK_MS = 50;
/** Sent before the first listener comes, so that there is something for a burst. */
const HEAD_START_MS = 10_000;

/** The sound that a new connection gets at once: that of a streaming server, or none, which suits no player. */
const BURST_BYTES = 64 * 1024;

export type ToneConduct =
  | { kind: 'plays' }
  | { kind: 'stalls' }
  /** To another host name of this machine. */
  | { kind: 'redirects' };

type Listener = { response: ServerResponse; nextFrame: number; stalled: boolean };

/** Returns when the tone of a pitch was sent, in seconds of the tone. */
export function toneSecondOf(hz: number): number {
  return (hz - FIRST_HZ) / RISE_HZ_PER_S;
}

const TONE = `0.5*sin(2*PI*(${FIRST_HZ}*t+${RISE_HZ_PER_S / 2}*t*t))`;
const FORMAT = { kbit: 96, hz: 48_000 };
const OTHER_FORMAT = { kbit: 64, hz: 44_100 };

/** Starts a live stream of the tone in MP3 that can burst, drop, stall, fall silent, redirect and change its format. */
export async function startToneStream() {
  const tone = await mp3Of(TONE, LENGTH_S, FORMAT);
  const otherTone = await mp3Of(TONE, LENGTH_S, OTHER_FORMAT);
  const silence = await mp3Of('0', 10, FORMAT);
  const burstFrames = Math.ceil((BURST_BYTES * 8) / (tone.bitRateKbit * tone.frameDurationMs));

  let startMs = performance.now() - HEAD_START_MS;
  let conduct: ToneConduct = { kind: 'plays' };
  let bursts = true;
  let hasEnd = false;
  let tellsOtherOrigins = true;
  let sent = tone;
  let opened = 0;
  let askedAt: number[] = [];
  const listeners = new Set<Listener>();

  const liveFrame = () => Math.floor((performance.now() - startMs) / sent.frameDurationMs);

  function feed(listener: Listener): void {
    if (listener.stalled) return;
    const end = liveFrame();
    for (const bytes of sent.slices(listener.nextFrame, end)) listener.response.write(bytes);
    listener.nextFrame = end;
  }

  const server = createServer(({ url = '' }, response) => {
    askedAt.push(performance.now());
    if (tellsOtherOrigins) response.setHeader('Access-Control-Allow-Origin', '*');
    const { port } = server.address() as AddressInfo;
    if (conduct.kind === 'redirects' && !url.includes('redirected')) {
      const location = `http://localhost:${port}${url}&redirected`;
      return void response.writeHead(302, { location }).end();
    }
    opened += 1;
    if (hasEnd) response.removeHeader('Transfer-Encoding');
    response.writeHead(200, {
      'Content-Type': 'audio/mpeg',
      'Cache-Control': 'no-store',
      Connection: 'close',
    });
    response.flushHeaders();
    const nextFrame = liveFrame() - (bursts ? burstFrames : 0);
    const listener = { response, nextFrame, stalled: conduct.kind === 'stalls' };
    listeners.add(listener);
    response.on('close', () => listeners.delete(listener));
    feed(listener);
  });
  const timer = setInterval(() => listeners.forEach(feed), TICK_MS);
  // All addresses, since `localhost` may be the one of IPv6.
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/tone?wmsAuthSign=`,
    opened: () => opened,
    /** When connections were asked for, answered with sound or not, by the monotonic clock. */
    askedAt: () => askedAt,
    listenerCount: () => listeners.size,
    /**
     * Starts the tone anew. `bursts`: new connections get some seconds at once; `hasEnd`: a dropped connection looks
     * like the end of the stream, as from Icecast, and not like a fault of the network.
     */
    startAfresh(options: { bursts: boolean; hasEnd: boolean; conduct: ToneConduct }) {
      startMs = performance.now() - HEAD_START_MS;
      ({ bursts, hasEnd, conduct } = options);
      tellsOtherOrigins = true;
      sent = tone;
      opened = 0;
      askedAt = [];
    },
    /** Closes every connection; new ones are answered at once. */
    drop() {
      for (const { response } of listeners) response.destroy();
    },
    /** Holds the open connections until `resume`, which sends what they missed. `newOnes`: how others are answered. */
    stall(newOnes: ToneConduct = { kind: 'plays' }) {
      conduct = newOnes;
      for (const listener of listeners) listener.stalled = true;
    },
    resume() {
      conduct = { kind: 'plays' };
      for (const listener of listeners) listener.stalled = false;
    },
    /** Lets pages of other sites read the sound of new connections, or no longer. */
    letPagesRead(allowed: boolean) {
      tellsOtherOrigins = allowed;
    },
    fallSilent(silent: boolean) {
      sent = silent ? silence : tone;
    },
    /** Goes on with another bit rate and sample rate, on open connections too. */
    changeFormat() {
      sent = otherTone;
      for (const listener of listeners) listener.nextFrame = liveFrame();
    },
    toneSecondAt: (monotonicMs: number) => (monotonicMs - startMs) / 1_000,
    async close() {
      clearInterval(timer);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

export type ToneStream = Awaited<ReturnType<typeof startToneStream>>;

async function mp3Of(expression: string, seconds: number, { kbit, hz }: typeof FORMAT) {
  const { stdout } = await promisify(execFile)(
    requireFfmpeg().ffmpeg,
    [
      ...['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', `aevalsrc='${expression}':s=${hz}:d=${seconds}`],
      ...['-ac', '1', '-c:a', 'libmp3lame', '-b:a', `${kbit}k`, '-reservoir', '0', '-write_xing', '0'],
      ...['-id3v2_version', '0', '-f', 'mp3', '-'],
    ],
    { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 },
  );
  return readMp3Loop(stdout);
}
