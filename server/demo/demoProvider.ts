import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { TOKEN_LIFETIME_MINUTES } from '../../shared/tokenLifetime.ts';
import { isEveryAddress, urlHost } from '../config/listenHost.ts';
import { PROJECT_ROOT } from '../config/paths.ts';
import { demoPage } from './demoPage.ts';
import { createIcyInterleaver, ICY_METAINT_BYTES } from './icyMetadata.ts';
import { createLiveStream } from './liveStream.ts';
import { readMp3Loop } from './mp3Frames.ts';
import { formatServerTime, signToken, tokenRefusal } from './wmsAuthSign.ts';

const AUDIO_FILE = path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3');
const TOKEN_PATH = '/secure/audio';
const STREAM = 'mp3/icecast.audio';
const AUTH_SIGN = 'wmsAuthSign=';
const DEMO_KEY = 'demo-key-known-to-everyone';
const STATION_NAME = 'Audio Oficial Premium';
const STREAM_TITLE = 'Audio Oficial Premium - Señal de demostración';

export type DemoProviderOptions = {
  host: string;
  /** The preferred port; any free one if it is taken or 0. */
  port: number;
  /** Epoch milliseconds, for tokens. */
  clock?: () => number;
  linkBaseUrl?: string | undefined;
  /** The key that signs tokens. The default never changes, so that tokens outlive a restart. */
  key?: string;
};

export type DemoProvider = {
  tokenUrl: string;
  /** Ends in `wmsAuthSign=`. Names a local network address if the provider listens on all addresses. */
  streamBaseUrl: string;
  readonly listenerCount: number;
  close(): Promise<void>;
};

type Answer = (request: IncomingMessage, response: ServerResponse, query: string) => void;

/**
 * Serves an HTML page with a signed link, and the live stream that the link opens. A token is checked when a connection opens, never
 * again. Rejects when it cannot listen on `host`.
 */
export async function startDemoProvider(options: DemoProviderOptions): Promise<DemoProvider> {
  const { host, clock = Date.now, key = DEMO_KEY } = options;
  const loop = readMp3Loop(await readFile(AUDIO_FILE));
  const live = createLiveStream(loop);

  const answers = new Map<string, Answer>([
    [TOKEN_PATH, answerPage],
    [`/${STREAM}`, answerStream],
  ]);
  const server = createServer((request, response) => {
    const [pathname, query] = splitUrl(request.url ?? '');
    const answer = answers.get(pathname);
    if (!answer) {
      answerText(response, 404, 'No encontrado');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      answerText(response, 405, 'Método no permitido');
    } else {
      answer(request, response, query);
    }
  });
  const port = await listen(server, host, options.port);
  const tokenUrl = `http://${reachableHost(host, '127.0.0.1')}:${port}${TOKEN_PATH}`;
  const streamBaseUrl = `http://${reachableHost(host, localNetworkAddress())}:${port}/${STREAM}?${AUTH_SIGN}`;

  function answerPage(_request: IncomingMessage, response: ServerResponse): void {
    const serverTime = formatServerTime(clock());
    const token = signToken(key, { id: randomUUID(), serverTime, validMinutes: TOKEN_LIFETIME_MINUTES });
    const page = Buffer.from(
      demoPage((options.linkBaseUrl ?? streamBaseUrl) + token, TOKEN_LIFETIME_MINUTES),
    );
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': page.length,
      'Cache-Control': 'no-store',
    });
    response.end(page);
  }

  function answerStream(request: IncomingMessage, response: ServerResponse, query: string): void {
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (tokenRefusal(key, tokenIn(query), clock()) !== null) {
      answerText(response, 403, 'Acceso denegado');
      return;
    }

    const wantsMetadata = request.headers['icy-metadata'] === '1';
    if (wantsMetadata) response.setHeader('icy-metaint', ICY_METAINT_BYTES);
    // Without a length and without chunks, which simple players do not read: the stream ends with its connection.
    response.removeHeader('Transfer-Encoding');
    response.writeHead(200, {
      'Content-Type': 'audio/mpeg',
      'Cache-Control': 'no-store',
      'Accept-Ranges': 'none',
      Connection: 'close',
      'icy-name': STATION_NAME,
      'icy-br': loop.bitRateKbit,
      'icy-pub': '0',
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    live.join(response, wantsMetadata ? createIcyInterleaver(STREAM_TITLE) : undefined);
  }

  return {
    tokenUrl,
    streamBaseUrl,
    get listenerCount() {
      return live.listenerCount;
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        live.close();
        server.closeAllConnections();
      });
    },
  };
}

function answerText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

function splitUrl(url: string): [pathname: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** Reads the token by its position in the query as sent: decoding would turn its `+` into a space. */
function tokenIn(query: string): string {
  const parameter = query.split('&').find((pair) => pair.startsWith(AUTH_SIGN));
  return parameter?.slice(AUTH_SIGN.length) ?? '';
}

async function listen(server: Server, host: string, preferredPort: number): Promise<number> {
  try {
    return await listenOn(server, host, preferredPort);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken) throw error;
    return await listenOn(server, host, 0);
  }
}

async function listenOn(server: Server, host: string, port: number): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

function reachableHost(host: string, forAll: string): string {
  if (isEveryAddress(host)) return forAll;
  return urlHost(host);
}

function localNetworkAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
