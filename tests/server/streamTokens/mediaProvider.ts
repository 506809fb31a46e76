import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { createStreamProvider, type StreamProvider } from '../../../server/streamTokens/streamProvider.ts';
import { freePort } from '../../support/freePort.ts';

export const TOKEN = 'c2VjcmV0LXRva2Vu';
export const PAGE = `<html><a href="https://stream.example/live?wmsAuthSign=${TOKEN}">Escuchar</a></html>`;
/** Longer than any test without fake timers. */
export const TIMEOUT_MS = 60_000;
export const PAGE_LIMIT_BYTES = 64 * 1024;
export const GZIP_BOMB = gzipSync(PAGE.padEnd(10_000_000));
export const HTML = { 'content-type': 'text/html' };

/** A failure with its reason for the log. */
const failure = (code: string, reason: string) => ({
  code,
  cause: expect.objectContaining({ message: expect.stringMatching(reason) }),
});
export const unavailable = (reason = '') => failure('PROVIDER_UNAVAILABLE', reason);
export const badAnswer = (reason = '') => failure('PROVIDER_BAD_ANSWER', reason);

/** The module under test, asking the media provider at a port of this machine. */
export function providerAt(
  port: number,
  { user = '', warn = () => {} }: { user?: string; warn?: (message: string) => void } = {},
): StreamProvider {
  const provider = createStreamProvider({
    tokenUrl: `http://${user}127.0.0.1:${port}/audio?key=value`,
    authSignParameter: 'wmsAuthSign',
    log: { warn },
    timeoutMs: TIMEOUT_MS,
  });
  onTestFinished(() => provider.close());
  return provider;
}

async function listening(server: Server | TcpServer): Promise<number> {
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return port;
}

/** A media provider that answers each request in turn by the next listener, and by the last from then on. */
export async function mediaProvider(...listeners: [RequestListener, ...RequestListener[]]) {
  const seen = { requests: 0, connections: 0 };
  const server = createServer((request, response) => {
    const listener = listeners[Math.min(seen.requests, listeners.length - 1)];
    seen.requests += 1;
    listener?.(request, response);
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  const port = await listening(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port, seen };
}

/** A media provider that answers these bytes and ends the connection. */
export async function rawProvider(bytes: string): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  const port = await listening(server);
  onTestFinished(() => void server.close());
  return port;
}

export const answerWith =
  (body: string | Buffer, headers: Record<string, string> = HTML, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

export const answer = answerWith(PAGE);

export const silent: RequestListener = () => {};

export const resetConnection: RequestListener = (request) => request.socket.resetAndDestroy();

export const cutWithinPage: RequestListener = (request, response) => {
  response.writeHead(200, { 'content-length': '5000' });
  response.write(PAGE, () => setImmediate(() => request.socket.resetAndDestroy()));
};

/** Begins an answer, then writes `chunk` for as long as the connection lasts. */
export function dripping(
  chunk: string,
  everyMs: number,
  headers: Record<string, string> = HTML,
): RequestListener {
  return (_request, response: ServerResponse) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(chunk), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

export const failureOf = (provider: StreamProvider): Promise<unknown> =>
  provider.fetchToken().catch((error: unknown) => error);
