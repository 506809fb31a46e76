import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base } from '../support/partnerTest.ts';

type Conduct =
  | { kind: 'passes' }
  | { kind: 'mayBeKept' }
  /** Passes answers that seem to have an end: by `Content-Length`, or by the number of frames in an Info frame. */
  | { kind: 'tellsEnd'; by: 'contentLength' | 'infoFrame' }
  /** `token`: refuses only this one. */
  | { kind: 'refuses'; status: number; tellsOtherOrigins: boolean; token?: string }
  /** Redirects to another host, which refuses; `token`: this one alone. */
  | { kind: 'redirectsToRefusal'; token: string }
  | { kind: 'sendsPage' }
  | { kind: 'sendsUndecodable'; tellsOtherOrigins: boolean }
  | { kind: 'hangs' };

/** The first bytes of the demo's frames: MPEG-1 Layer III, 96 kbit/s, 48 kHz, mono. */
const MP3_HEADER = [0xff, 0xfb, 0x74, 0xc4];
const INFO_FRAME_BYTES = 288;
/** Behind the side information of mono. */
const INFO_OFFSET = 4 + 17;
/** One second. */
const INFO_FRAMES = 42;

export const test = base
  .extend('stream', { scope: 'file' }, () => startFaultyStream())
  .extend('siteOptions', { scope: 'file' }, ({ stream }, { onCleanup }) => {
    onCleanup(() => stream.close());
    return { inFrontOfStream: stream.inFrontOf };
  });

/** Starts an HTTP proxy in front of the real stream that can refuse, delay, cut or end connections. */
export async function startFaultyStream() {
  let conduct: Conduct = { kind: 'passes' };
  let openings: { address: string; destination: string | undefined }[] = [];
  const listening = new Set<{ upstream: IncomingMessage; response: ServerResponse }>();
  let real: URL;

  const server = createServer((asked, response) => {
    const destination = asked.headers['sec-fetch-dest']?.toString();
    openings.push({ address: asked.url ?? '', destination });
    if (conduct.kind === 'refuses' && asked.url?.endsWith(conduct.token ?? '')) {
      if (conduct.tellsOtherOrigins) response.setHeader('Access-Control-Allow-Origin', '*');
      response.writeHead(conduct.status).end();
    } else if (conduct.kind === 'redirectsToRefusal' && asked.url?.endsWith(conduct.token)) {
      const location = `http://127.0.0.1:${portOf(edge)}${asked.url}`;
      response.writeHead(302, { Location: location, 'Access-Control-Allow-Origin': '*' }).end();
    } else if (conduct.kind === 'sendsPage') {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>Mantenimiento</p>');
    } else if (conduct.kind === 'sendsUndecodable') {
      if (conduct.tellsOtherOrigins) response.setHeader('Access-Control-Allow-Origin', '*');
      response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).end('no audio'.repeat(10_000));
    } else if (conduct.kind !== 'hangs') {
      pass();
    }

    function pass(): void {
      const { url: path, headers } = asked;
      const passed = request({ host: real.hostname, port: real.port, path, headers }, (upstream) => {
        const listener = { upstream, response };
        listening.add(listener);
        response.writeHead(upstream.statusCode ?? 502, { ...upstream.headers, ...headersOf(conduct) });
        if (conduct.kind === 'tellsEnd' && conduct.by === 'infoFrame') response.write(infoFrame());
        upstream.on('error', () => response.destroy());
        upstream.pipe(response).on('close', () => {
          listening.delete(listener);
          upstream.destroy();
        });
      });
      passed.on('error', () => response.destroy());
      passed.end();
    }
  });
  const edge = createServer((_asked, response) => {
    response.writeHead(403, { 'Access-Control-Allow-Origin': '*' }).end();
  });
  await Promise.all([listen(server, 0), listen(edge, 0)]);
  const port = portOf(server);

  return {
    inFrontOf(streamBaseUrl: string): string {
      real = new URL(streamBaseUrl);
      return Object.assign(new URL(streamBaseUrl), { port }).href;
    },
    /** In order, without the page's other requests. */
    opened: () => openings.filter(({ destination }) => destination === 'audio').map(({ address }) => address),
    asked: () => openings.length,
    listenerCount: () => listening.size,
    startAfresh() {
      conduct = { kind: 'passes' };
      openings = [];
    },
    conductItself(how: Conduct) {
      conduct = how;
    },
    cut() {
      for (const { response } of listening) response.destroy();
    },
    end() {
      for (const { upstream, response } of listening) {
        upstream.unpipe(response);
        response.end();
      }
    },
    down: () => stopListening(server),
    up: () => listen(server, port),
    close: async () => {
      await Promise.all([stopListening(server), stopListening(edge)]);
    },
  };
}

function headersOf(conduct: Conduct) {
  if (conduct.kind === 'mayBeKept') return { 'cache-control': 'max-age=3600' };
  const tellsLength = conduct.kind === 'tellsEnd' && conduct.by === 'contentLength';
  return tellsLength ? { 'content-length': 2 ** 31 } : {};
}

/** An MP3 frame of the demo's kind that says how many frames follow, as encoders write it in front of files. */
function infoFrame(): Buffer {
  const frame = Buffer.alloc(INFO_FRAME_BYTES);
  frame.set(MP3_HEADER);
  frame.write('Info', INFO_OFFSET);
  frame.writeUInt32BE(1, INFO_OFFSET + 4);
  frame.writeUInt32BE(INFO_FRAMES, INFO_OFFSET + 8);
  return frame;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function stopListening(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}
