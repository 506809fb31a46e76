import { type Config, completeExternal, type ExternalServices, missingVariables } from '../config/config.ts';
import { loadDemo } from '../config/loadDemo.ts';
import type { Demo } from '../demo/demo.ts';
import type { StartContext } from './startServer.ts';

/**
 * Returns the configured external services, completed by the demo's where some are not set.
 * @throws {ConfigError} when some are not set and the demo is not installed
 */
export async function openExternalServices(
  { external, host, port: appPort }: Config,
  { log, cleanup, signal }: StartContext,
): Promise<{ external: ExternalServices; demo: Demo | null }> {
  const complete = completeExternal(external);
  if (complete !== null) return { external: complete, demo: null };
  const { openDemo } = await loadDemo(() => import('../demo/demo.ts'), missingVariables(external));
  const onGone = () =>
    log.warn('the embedded PostgreSQL has ended: press Ctrl-C, and start the server again');
  const demo = await openDemo(external, { host, appPort, onClose: cleanup.defer, onGone, signal });
  return { external: demo.external, demo };
}
