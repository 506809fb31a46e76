import type { FastifyBaseLogger } from 'fastify';
import { requireKnownHost } from '../config/listenHost.ts';
import type { Metrics } from './metrics.ts';

export type OpenMetrics = Metrics & { address: string };

/**
 * Creates the metrics and serves them. Loads their modules only now: most instances need none.
 * @throws {OperatorError} when it cannot listen there
 */
export async function openMetrics(
  at: { host: string; port: number },
  {
    log,
    cleanup,
  }: { log: Pick<FastifyBaseLogger, 'error'>; cleanup: { defer(close: () => Promise<void>): void } },
): Promise<OpenMetrics> {
  await requireKnownHost('METRICS_HOST', at.host);
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('./metrics.ts'),
    import('./metricsServer.ts'),
  ]);
  const metrics = createMetrics();
  const { address, close } = await serveMetrics(metrics, { ...at, log });
  cleanup.defer(close);
  return { ...metrics, address };
}
