import type { FastifyBaseLogger } from 'fastify';
import { requireKnownHost } from '../config/addresses.ts';
import type { Metrics } from './metrics.ts';
import type { MetricsServer } from './metricsServer.ts';

export type OpenMetrics = Metrics & Pick<MetricsServer, 'listen'>;

/**
 * Loads the modules of the metrics only now: most instances need none.
 * @throws {OperatorError} when METRICS_HOST is not known
 */
export async function openMetrics(
  at: { host: string; port: number },
  {
    log,
    lifetime,
  }: { log: Pick<FastifyBaseLogger, 'error'>; lifetime: { defer(close: () => Promise<void>): void } },
): Promise<OpenMetrics> {
  await requireKnownHost('METRICS_HOST', at.host);
  const [{ createMetrics }, { createMetricsServer }] = await Promise.all([
    import('./metrics.ts'),
    import('./metricsServer.ts'),
  ]);
  const metrics = createMetrics();
  const { listen, close } = createMetricsServer(metrics, { ...at, log });
  lifetime.defer(close);
  return { ...metrics, listen };
}
