import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { escapeAttribute } from 'entities';
import fastify, { type FastifyInstance } from 'fastify';
import { TOKEN_LIFETIME_MINUTES } from '../../shared/tokenLifetime.ts';
import { isEveryAddress, urlHost } from '../config/addresses.ts';
import { PROJECT_ROOT } from '../config/folders.ts';
import { createIcyInterleaver, createLiveStream, ICY_METAINT_BYTES, readMp3Loop } from './liveStream.ts';
import { formatServerTime, signToken, tokenRefusal } from './wmsAuthSign.ts';

const AUDIO_FILE = path.join(PROJECT_ROOT, 'server/demo/audio/senal-de-demostracion.mp3');
const TOKEN_PATH = '/secure/audio';
const STREAM_PATH = '/mp3/icecast.audio';
const AUTH_SIGN = 'wmsAuthSign=';
export const DEMO_PROVIDER_SECRET = 'demo-key-known-to-everyone';
const STATION_NAME = 'Audio Oficial Premium';
const STREAM_TITLE = 'Audio Oficial Premium - Señal de demostración';

export type DemoProviderOptions = {
  host: string;
  port: number;
  clock?: () => number;
  linkBaseUrl?: string | undefined;
};

export type DemoProvider = {
  tokenUrl: string;
  /** Ends in `wmsAuthSign=`. Names a local network address if the provider listens on all addresses. */
  streamBaseUrl: string;
  readonly listenerCount: number;
  close(): Promise<void>;
};

/**
 * Serves an HTML page with a signed link, and the live stream that the link opens. A token is checked when a
 * connection opens, never again. Rejects when it cannot listen on `host`.
 */
export async function startDemoProvider(options: DemoProviderOptions): Promise<DemoProvider> {
  const { host, clock = Date.now } = options;
  const loop = readMp3Loop(await readFile(AUDIO_FILE));
  const live = createLiveStream(loop);
  const app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  app.addHook('preClose', async () => live.close());
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('No encontrado\n'));
  app.get(TOKEN_PATH, (_request, reply) => {
    const serverTime = formatServerTime(clock());
    const token = signToken(DEMO_PROVIDER_SECRET, {
      id: randomUUID(),
      serverTime,
      validMinutes: TOKEN_LIFETIME_MINUTES,
    });
    const page = demoPage((options.linkBaseUrl ?? streamBaseUrl) + token, TOKEN_LIFETIME_MINUTES);
    return reply.type('text/html; charset=utf-8').send(page);
  });

  app.get(STREAM_PATH, (request, reply) => {
    if (tokenRefusal(DEMO_PROVIDER_SECRET, tokenIn(request.url), clock()) !== null) {
      return reply.code(403).header('access-control-allow-origin', '*').send('Acceso denegado\n');
    }
    const wantsMetadata = request.headers['icy-metadata'] === '1';
    const response = reply.hijack().raw;
    // The stream ends with its connection: no length is known, and simple players do not read chunks.
    response.removeHeader('transfer-encoding');
    response.writeHead(200, {
      'access-control-allow-origin': '*',
      'content-type': 'audio/mpeg',
      'cache-control': 'no-store',
      'accept-ranges': 'none',
      connection: 'close',
      'icy-name': STATION_NAME,
      'icy-br': loop.bitRateKbit,
      'icy-pub': '0',
      ...(wantsMetadata && { 'icy-metaint': ICY_METAINT_BYTES }),
    });
    if (request.method === 'HEAD') response.end();
    else live.join(response, wantsMetadata ? createIcyInterleaver(STREAM_TITLE) : undefined);
  });

  const port = await listen(app, host, options.port);
  const isEverywhere = isEveryAddress(host);
  const tokenUrl = `http://${isEverywhere ? '127.0.0.1' : urlHost(host)}:${port}${TOKEN_PATH}`;
  const streamHost = isEverywhere ? localNetworkAddress() : urlHost(host);
  const streamBaseUrl = `http://${streamHost}:${port}${STREAM_PATH}?${AUTH_SIGN}`;
  return {
    tokenUrl,
    streamBaseUrl,
    get listenerCount() {
      return live.listenerCount;
    },
    close: () => app.close(),
  };
}

function demoPage(streamUrl: string, validMinutes: number): string {
  return `<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>Audio seguro · Proveedor de demostración</title>
<style>
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1c2733; background: #f3f5f7; }
main { max-width: 34rem; margin: 4rem auto; padding: 2rem; background: #fff; border-radius: 8px; }
small { color: #5a6875; }
</style>
</head>
<body>
<main>
<p>Proveedor de demostración</p>
<h1>Emisión segura</h1>
<p>Su acceso está listo. El enlace admite conexiones nuevas durante ${validMinutes} minutos; una conexión ya abierta no se interrumpe.</p>
<ul>
<li><a class="audio" type="audio/mpeg" href="${escapeAttribute(streamUrl)}">Escuchar Audio Oficial Premium</a></li>
<li><a href="">Renovar el enlace</a></li>
</ul>
<small>Enlace personal e intransferible. Señal de prueba, sin valor comercial.</small>
</main>
</body>
</html>
`;
}

/** Reads the token by its position in the address as sent: decoding would turn its `+` into a space. */
function tokenIn(url: string): string {
  const query = url.slice(url.indexOf('?') + 1);
  const parameter = query.split('&').find((pair) => pair.startsWith(AUTH_SIGN));
  return parameter?.slice(AUTH_SIGN.length) ?? '';
}

async function listen(app: FastifyInstance, host: string, preferredPort: number): Promise<number> {
  await app.listen({ host, port: preferredPort }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return app.listen({ host, port: 0 });
  });
  return (app.server.address() as AddressInfo).port;
}

function localNetworkAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
