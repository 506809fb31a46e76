import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import {
  createStreamProvider,
  type StreamProvider,
  type StreamProviderOptions,
} from '../../../server/streamTokens/streamProvider.ts';
import { freePort } from '../../support/freePort.ts';

export const TOKEN = 'c2VjcmV0LXRva2Vu';
export const PAGE = `<html><a href="https://stream.example/live?wmsAuthSign=${TOKEN}">Escuchar</a></html>`;
/** Longer than any test without fake timers. */
export const TIMEOUT_MS = 60_000;
export const HTML = { 'content-type': 'text/html' };

export const unavailable = (reason = '', code = 'PROVIDER_UNAVAILABLE') => ({
  code,
  cause: expect.objectContaining({ message: expect.stringMatching(reason) }),
});

export function providerAt(
  port: number,
  {
    user = '',
    warn = () => {},
    ...options
  }: { user?: string; warn?: (message: string) => void } & Pick<
    StreamProviderOptions,
    'observer' | 'clock' | 'proxies' | 'timeoutMs'
  > & { tokenUrl?: string } = {},
): StreamProvider {
  const provider = createStreamProvider({
    tokenUrl: `http://${user}127.0.0.1:${port}/audio?key=value`,
    authSignParameter: 'wmsAuthSign',
    log: { warn },
    timeoutMs: TIMEOUT_MS,
    ...options,
  });
  onTestFinished(() => provider.close());
  return provider;
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
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port, seen };
}

export const answerWith =
  (body: string | Buffer, headers: Record<string, string> = HTML, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

export const answer = answerWith(PAGE);

export const resetConnection: RequestListener = (request) => request.socket.resetAndDestroy();

export const failureOf = (provider: StreamProvider): Promise<unknown> =>
  provider.fetchToken().catch((error: unknown) => error);
