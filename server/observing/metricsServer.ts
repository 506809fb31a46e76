import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { explainListenError, requireKnownHost, urlHost } from '../config/addresses.ts';
import { OperatorError } from '../errors.ts';
import type { Metrics } from './metrics.ts';

type MetricsServer = {
  /** Returns the address of the metrics. */
  listen(): Promise<string>;
  close(): Promise<void>;
};

const REQUEST_TIMEOUT_MS = 5_000;

export type OpenMetrics = Metrics & Pick<MetricsServer, 'listen'>;

/** Loads the metrics only now: most instances need none. */
export async function openMetrics(
  at: { host: string; port: number },
  {
    log,
    lifetime,
  }: { log: Pick<FastifyBaseLogger, 'error'>; lifetime: { defer(close: () => Promise<void>): void } },
): Promise<OpenMetrics> {
  await requireKnownHost('METRICS_HOST', at.host);
  const { createMetrics } = await import('./metrics.ts');
  const metrics = createMetrics();
  const { listen, close } = createMetricsServer(metrics, { ...at, log });
  lifetime.defer(close);
  return { ...metrics, listen };
}

export function createMetricsServer(
  metrics: Pick<Metrics, 'collect'>,
  { host, port, log }: { host: string; port: number; log: Pick<FastifyBaseLogger, 'error'> },
): MetricsServer {
  const answer: RequestListener = async ({ url = '', method }, response) => {
    if (url.split('?', 1)[0] !== '/metrics') return response.writeHead(404).end();
    if (method !== 'GET') return response.writeHead(405, { allow: 'GET' }).end();
    try {
      const { text, contentType } = await metrics.collect();
      response.writeHead(200, { 'content-type': contentType }).end(text);
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be collected');
      response.writeHead(500).end();
    }
  };
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    answer,
  );
  return {
    async listen() {
      try {
        await once(server.listen(port, host), 'listening');
      } catch (error) {
        throw new OperatorError(explainListenError(error, { host: 'METRICS_HOST', port: 'METRICS_PORT' }));
      }
      const { port: actualPort } = server.address() as AddressInfo;
      return `http://${urlHost(host)}:${actualPort}/metrics`;
    },
    async close() {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}
